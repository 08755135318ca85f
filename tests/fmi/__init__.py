"""Tests of the bridge to ROS 2."""
