"""Commands of messages: what nodes of ROS 2 ask of a robot becomes values of its actuators."""
