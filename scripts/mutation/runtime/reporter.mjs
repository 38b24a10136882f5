import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';

const record = (event) =>
  appendFileSync(new URL('events.jsonl', import.meta.url), `${JSON.stringify(event)}\n`);
const keyOf = (module) =>
  `${module.project.name} ${relative(module.project.config.root, module.moduleId)}`;
const messageOf = (errors) => errors?.[0]?.message.slice(0, 200);

/** Writes failures as they happen, so that they are known even if the run is killed, and the duration of each file. */
export default class {
  onTestCaseResult(test) {
    const { state, errors } = test.result();
    if (state !== 'failed') return;
    record({ failed: keyOf(test.module), test: test.fullName, message: messageOf(errors) });
  }

  onTestModuleEnd(module) {
    const { duration, collectDuration, setupDuration, prepareDuration } = module.diagnostic();
    const ms = Math.round(duration + collectDuration + setupDuration + prepareDuration);
    record({ ended: keyOf(module), ms });
    if (module.state() !== 'failed') return;
    record({ failed: keyOf(module), message: messageOf(module.errors()) });
  }

  onTestRunEnd(_modules, errors) {
    if (errors.length > 0) record({ failed: '(unhandled error)', message: messageOf(errors) });
  }
}
