"""Tests of where people walk and cycle."""
