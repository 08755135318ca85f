"""Message transport between nodes: one interface, and a module for each transport system.

A node connects, advertises, subscribes, publishes and processes what came; it does not know which
backend does it. All of them promise the same, and `tests/testbench/backends` holds them to it:

- messages of one publisher on one topic arrive in the order in which they were published;
- a subscriber gets what is published after its subscription stands, and nothing older;
- a subscriber that is too slow loses the oldest messages that wait, and their number is counted;
- a message arrives whole or not at all;
- a connection that is lost is made again with all its subscriptions; what was sent meanwhile is
  lost, and the gap shows in the messages' numbers.

| module | carries messages | needs |
|---|---|---|
| `embedded.py` | within a process, in a fixed order | nothing |
| `local.py` | between processes of a machine, over a socket in a private folder | nothing |
| `mqtt.py` | through an MQTT broker, by default a mosquitto of the bench's own | paho-mqtt |
| `amqp.py` | through an AMQP broker, by default a RabbitMQ of the bench's own | pika |
| `zenoh.py` | through zenoh | eclipse-zenoh |
| `ros2.py` | through zenoh, as ROS 2 does | eclipse-zenoh |
| `ros1.py`, `rospy_node.py` | through ROS 1, by default with a master of the bench's own | rospy |

`backend.py` is what nodes see; `inbox.py` holds what has come; `opening.py` finds a backend by
name.
"""
