"""Executes a scenario: elements of the storyboard, conditions, actions and motion of entities."""
