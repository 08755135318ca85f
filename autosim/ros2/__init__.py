"""ROS 2 without ROS: robots as topics, transforms and services, over zenoh as rmw_zenoh uses it.

`message_types` knows the declarations and hashes of messages; `ros_graph` is a node of the ROS
graph. The modules of `sensors/` make messages of devices, those of `driving/` make commands of
messages. `bridge` follows a server and publishes its states; `services` answers
simulation_interfaces.
"""
