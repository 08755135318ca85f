"""What is drawn over a picture: lidar points, beliefs, annotations."""
