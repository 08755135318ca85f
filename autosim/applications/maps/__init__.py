"""Commands about maps and worlds: fetch, check, view, export, edit."""
