/** A link to a recording in the page: it answers the calls of a page that may only look. */

import { create } from "@bufbuild/protobuf";
import { createClient, createRouterTransport } from "@connectrpc/connect";

import {
  ControlRequest_Action,
  Simulator,
  Status_Phase,
  StatusSchema,
  TimeOrder_Action,
  TimeReportSchema,
  type ControlRequest,
  type Status,
  type TimeOrder,
  type TimeReport,
} from "../link/generated/autosim/v1/autosim_pb";
import type { PageLink } from "../link/page_link";
import type { RecordedSource } from "./recorded_source";

export function recordedLink(source: RecordedSource): PageLink {
  const transport = createRouterTransport(({ service }) => {
    service(Simulator, {
      report: () => ({ status: statusOf(source) }),
      programs: () => ({}),
      clients: () => ({}),
      control: (request) => control(source, request),
      controlTime: (order) => controlTime(source, order),
    });
  });
  return {
    entry: { token: "", role: "view", robots: [] },
    client: createClient(Simulator, transport),
    setActuator: () => Promise.reject(new Error("a recording is over: nothing can be set in it")),
    openSource: (changed) => {
      changed({ kind: "live" }, "");
      return source;
    },
    startParticipation: () => {
      throw new Error("a recording is over: nothing drives in it");
    },
  };
}

function control(source: RecordedSource, request: ControlRequest): Status {
  switch (request.action) {
    case ControlRequest_Action.RUN:
      if (request.realTimeFactor > 0) source.pace = request.realTimeFactor;
      source.play();
      break;
    case ControlRequest_Action.PAUSE:
      source.pause();
      break;
    case ControlRequest_Action.STEP:
      source.pause();
      source.showNext();
  }
  return statusOf(source);
}

function controlTime(source: RecordedSource, order: TimeOrder): TimeReport {
  switch (order.action) {
    case TimeOrder_Action.SEEK:
      source.seek(Number(order.step));
      break;
    case TimeOrder_Action.REWIND:
      source.seek(source.step - order.seconds / source.stepSeconds);
  }
  return create(TimeReportSchema, {
    status: statusOf(source),
    isReplay: true,
    firstStep: BigInt(source.run.firstStep),
    lastStep: BigInt(source.run.lastStep),
  });
}

function statusOf({ step, stepSeconds, standsStill, pace, world }: RecordedSource): Status {
  return create(StatusSchema, {
    phase: standsStill ? Status_Phase.PAUSED : Status_Phase.RUNNING,
    step: BigInt(step),
    timeNs: BigInt(Math.round(1e9 * step * stepSeconds)),
    realTimeFactor: pace,
    world,
  });
}
