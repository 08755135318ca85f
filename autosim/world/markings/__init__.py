"""Paints road markings: lines, stop lines, crossings and arrows. Nothing drives on them."""
