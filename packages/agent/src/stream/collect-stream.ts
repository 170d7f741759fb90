import type { LanguageModelV4GenerateResult, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { breather } from '../agent/breather.ts'
import type { AnswerCallIds } from '../tools/call-ids.ts'
import { withCallId } from '../tools/call-ids.ts'
import { answerBuilder } from './answer-builder.ts'
import { partForwarder } from './part-forwarder.ts'
import type { Emit } from './stream-part.ts'

/** What counts as output: the first of these is what a user waits for. */
const OUTPUTS: ReadonlySet<string> = new Set([
  'text-delta',
  'reasoning-delta',
  'tool-input-delta',
  'tool-call',
  'file',
  'reasoning-file',
])

interface CollectOptions {
  ids: AnswerCallIds
  emit: Emit
  /** Called with the first output, and with all after it. */
  onOutput: () => void
  /** Of the run: a model that does not listen to it would be read for ever. */
  signal: AbortSignal
}

/**
 * Reads a model's stream to its end and gives the answer as `doGenerate` would have. Its texts and inputs are sent on as
 * they come, under the ids that its calls will have in the thread.
 *
 * Rejects with what an `error` part holds, with what the stream throws, and where it ends without `finish`. Either way
 * what was sent on is closed, and the stream is let go.
 */
export async function collectStream(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  { ids, emit, onOutput, signal }: CollectOptions,
): Promise<LanguageModelV4GenerateResult> {
  const builder = answerBuilder()
  const forwarder = partForwarder(emit)
  const reader = stream.getReader()
  const breathe = breather()
  // What becomes of the stream that is let go has no bearing on the run.
  const letGo = (): void => void reader.cancel(signal.reason).catch(() => {})
  if (signal.aborted) letGo()
  else signal.addEventListener('abort', letGo, { once: true })
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      await breathe()
      // Models are not type-checked.
      if (typeof (next.value as unknown) !== 'object' || (next.value as unknown) === null) continue
      const part = withCallId(next.value, ids)
      builder.add(part)
      if (OUTPUTS.has(part.type)) onOutput()
      forwarder.send(part)
    }
    return builder.answer()
  } catch (error) {
    letGo()
    throw error
  } finally {
    signal.removeEventListener('abort', letGo)
    forwarder.close()
  }
}
