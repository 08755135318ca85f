"""The bridge to ROS 2 as a program: beside a server, or started with one."""
