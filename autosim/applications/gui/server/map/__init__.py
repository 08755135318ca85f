"""The world from above, and the robots that a user carries on it."""
