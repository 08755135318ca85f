"""Details of the drawn ground: kerbs, roads, paint, and the undersides of bridges."""
