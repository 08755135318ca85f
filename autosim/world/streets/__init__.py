"""Streets, waters and junction rules in plan, as the map has them."""
