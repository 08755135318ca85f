// A client of AutoSim in C++17, from proto/ alone: reads states, drives a robot in lockstep, takes a picture.
//
//   client states  ADDRESS NODE COUNT           the first numbers of a node in COUNT states
//   client program ADDRESS ROBOT ACTUATOR STEPS VALUES...   sets an actuator, step by step
//   client camera  ADDRESS ROBOT CAMERA FILE    writes a picture of a camera (rgb) as PPM
//
// The token comes from $AUTOSIM_TOKEN (`autosim ctl token make --role drive --robot ROBOT`).
#include <grpcpp/grpcpp.h>

#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <vector>

#include "autosim/v1/autosim.grpc.pb.h"

namespace pb = autosim::v1;

constexpr std::size_t kHeader = 24;  // bytes of a packet before the state

[[noreturn]] void fail(const std::string& reason) { throw std::runtime_error(reason); }

void check(const grpc::Status& status) { if (!status.ok()) fail(status.error_message()); }

// The node with a qualified name such as "car.chassis.velocimeter".
const pb::Node& find(const pb::Node& root, const std::string& name) {
  const pb::Node* node = &root;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('.', begin), name.size());
    const std::string part = name.substr(begin, end - begin);
    const pb::Node* next = nullptr;
    for (const pb::Node& each : node->children())
      if (each.name() == part) next = &each;
    if (next == nullptr) fail("there is no node '" + name + "'");
    node = next;
    begin = end + 1;
  }
  return *node;
}

// The numbers of the fields of a node; those of the nodes below it are not among them.
std::vector<double> numbers(const pb::Node& node, const std::string& state) {
  std::vector<double> found;
  for (const pb::Field& field : node.fields()) {
    if (field.type() != pb::Field::FLOAT64 || field.columns_size() > 0) continue;
    const std::size_t count = field.size() / sizeof(double), start = found.size();
    if (field.offset() + field.size() > static_cast<std::int64_t>(state.size())) fail("short state");
    found.resize(start + count);
    std::memcpy(&found[start], state.data() + field.offset(), field.size());  // little-endian, as here
  }
  return found;
}

class Server {
 public:
  explicit Server(const std::string& address) {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(-1);
    auto channel = grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
    stub_ = pb::Simulator::NewStub(channel);
    grpc::ClientContext context;
    allow(context);
    check(stub_->Describe(&context, pb::DescribeRequest(), &world_));
  }

  const pb::Description& world() const { return world_; }
  const pb::Node& node(const std::string& name) const { return find(world_.tree().root(), name); }
  pb::Simulator::Stub& stub() { return *stub_; }

  void allow(grpc::ClientContext& context) const {
    if (const char* token = std::getenv("AUTOSIM_TOKEN"))
      context.AddMetadata("authorization", std::string("Bearer ") + token);
  }

 private:
  std::unique_ptr<pb::Simulator::Stub> stub_;
  pb::Description world_;
};

// A user program that takes part in the step: the simulation waits for it.
class Program {
 public:
  Program(Server& server, const std::string& robot) {
    server.allow(context_);
    stream_ = server.stub().Participate(&context_);
    pb::ProgramMessage message;
    message.mutable_attach()->set_program("client.cc");
    message.mutable_attach()->set_robot(robot);
    message.mutable_attach()->set_layout_digest(server.world().layout_digest());
    send(message);
    receive();
  }

  // The next message; states go into `state`.
  pb::ServerMessage receive() {
    pb::ServerMessage message;
    if (!stream_->Read(&message)) check(stream_->Finish());
    if (message.has_refused()) fail(message.refused().reason());
    if (message.has_dismissed()) fail(message.dismissed().reason());
    if (message.has_turn_started()) step = message.turn_started().step(), state = message.turn_started().state();
    return message;
  }

  void send(const pb::ProgramMessage& message) { stream_->Write(message); }  // `receive` reports

  void wait(const std::string& device, const std::vector<double>& values) {
    pb::ProgramMessage message;
    pb::Command& command = *message.mutable_wait()->add_commands();
    command.set_device(device);
    command.set_data(values.data(), values.size() * sizeof(double));
    message.mutable_wait()->set_until_step(step + 1);
    send(message);
    while (!receive().has_turn_started()) continue;
  }

  void leave() {
    pb::ProgramMessage message;
    message.mutable_leave();
    send(message);
    stream_->WritesDone();
  }

  std::int64_t step = 0;
  std::string state;

 private:
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<pb::ProgramMessage, pb::ServerMessage>> stream_;
};

void print(std::int64_t step, const std::vector<double>& values) {
  std::cout << step;
  for (double each : values) std::cout << ' ' << each;
  std::cout << std::endl;
}

void states(Server& server, const std::string& name, int count) {
  const pb::Node& node = server.node(name);
  grpc::ClientContext context;
  server.allow(context);
  pb::SubscribeRequest request;
  request.set_client("client.cc");
  request.set_layout_digest(server.world().layout_digest());
  *request.mutable_files() = server.world().files();  // it has no other files than the server
  *request.mutable_plugins() = server.world().tree().plugins();
  auto updates = server.stub().Subscribe(&context, request);
  for (pb::Update update; count > 0 && updates->Read(&update);) {
    const std::string& packet = update.packet();
    if (packet.size() <= kHeader || packet[0] != 1) continue;  // a heartbeat
    std::int64_t step;
    std::memcpy(&step, packet.data() + 8, sizeof step);
    print(step, numbers(node, packet.substr(kHeader)));
    --count;
  }
  if (count > 0) check(updates->Finish());
  context.TryCancel();
}

void program(Server& server, const std::string& robot, const std::string& actuator, int steps,
             const std::vector<double>& values) {
  Program own(server, robot);
  for (; steps > 0; --steps) own.wait(robot + "." + actuator, values);
  print(own.step, numbers(server.node(robot + "." + actuator), own.state));
  own.leave();
}

void camera(Server& server, const std::string& robot, const std::string& name, const char* file) {
  Program own(server, robot);
  pb::ProgramMessage message;
  pb::ImageSpec& wanted = *message.mutable_image_request()->add_images();
  wanted.set_camera(robot + "." + name);
  wanted.set_kind("rgb");
  own.send(message);
  pb::ServerMessage answer;
  while (!answer.has_images()) answer = own.receive();
  const pb::Image& image = answer.images().images(0);
  const std::string& memory = answer.images().memory();
  std::ofstream out(file, std::ios::binary);
  out << "P6 " << image.width() << ' ' << image.height() << " 255\n";
  out.write(memory.data() + image.offset(), 3 * image.width() * image.height());
  own.leave();
}

int main(int count, char** words) try {
  std::vector<double> values;
  for (int k = 6; k < count; ++k) values.push_back(std::stod(words[k]));
  if (count < 5) fail("expected states, program or camera: see the first lines of client.cc");
  const std::string what = words[1];
  Server server(words[2]);
  if (what == "states") states(server, words[3], std::stoi(words[4]));
  if (what == "program" && count > 6) program(server, words[3], words[4], std::stoi(words[5]), values);
  if (what == "camera" && count == 6) camera(server, words[3], words[4], words[5]);
} catch (const std::exception& error) {
  std::cerr << "error: " << error.what() << '\n';
  return 1;
}
