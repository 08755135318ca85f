"""The lanes as vehicles need them: tables for kernels, overlaps, and which vehicles are on them."""
