import { checkSchema, type Run } from '@keepsake/core'
import type { CheckedInput } from '../options/check-input.ts'
import type { AgentSetup } from '../options/check-options.ts'
import { refuse } from '../options/refuse.ts'
import { during } from './run-failed.ts'
import type { RunSignal } from './run-signal.ts'

/** A run that knows who it is for. */
export interface StartedRun {
  run: Run
  subject: string | undefined
}

/** Checks the context and works out from it whose run this is. */
export async function startRun(
  setup: AgentSetup,
  input: CheckedInput,
  runId: string,
  stop: RunSignal,
): Promise<StartedRun> {
  const context = await during('The context schema', () => checkSchema(setup.context, input.context, 'context'))
  const owner = await personOf('owner', setup.owner, context)
  const subject = await personOf('subject', setup.subject, context)
  const run: Run = {
    id: runId,
    threadId: input.threadId,
    owner,
    context,
    signal: stop.signal,
    nowMs: setup.clock.nowMs(),
    async step(_name, fn) {
      stop.check()
      return fn()
    },
  }
  return { run, subject }
}

/** A person that cannot be told must not become nobody: nobody's memory would be everybody's. */
async function personOf(
  name: 'owner' | 'subject',
  from: ((context: any) => string) | undefined,
  context: unknown,
): Promise<string | undefined> {
  if (from === undefined) return undefined
  const person: unknown = await during(`The ${name} function`, () => from(context))
  if (typeof person !== 'string' || person === '')
    throw refuse(`What the ${name} function gives`, 'a text that is not empty', person)
  return person
}
