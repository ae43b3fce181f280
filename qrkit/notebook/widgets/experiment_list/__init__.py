"""What experiments have found until now."""
