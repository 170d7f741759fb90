import { KeepsakeError } from '@keepsake/core'
import type { RunResult } from '../agent/run-result.ts'
import { errorText } from '../tools/error-text.ts'
import { partLog, type PartLog } from './part-log.ts'
import type { Emit, StreamPart } from './stream-part.ts'

/**
 * A run as it happens. Nothing starts until one of the three is read or awaited. Cancelling a stream detaches its reader;
 * the run goes on and is stored. `signal` stops it.
 */
export interface RunStream {
  /** Everything, for ai's `toUIMessageStream`. A failure is its last part: `error`, or `abort`. */
  readonly stream: ReadableStream<StreamPart> & AsyncIterable<StreamPart>
  /** The text alone, of all steps. Errors where the run fails. */
  readonly textStream: ReadableStream<string> & AsyncIterable<string>
  /** As of `run`: rejects where the run fails, also if the streams are not read. */
  readonly result: PromiseLike<RunResult>
}

/** Makes the stream of a run that `run` starts. Parts are kept until they are read: a slow reader does not slow the run. */
export function runStream(run: (emit: Emit) => Promise<RunResult>): RunStream {
  const log = partLog<StreamPart>()
  let started: Promise<RunResult> | undefined

  function start(): Promise<RunResult> {
    if (started !== undefined) return started
    started = follow(
      run((part) => log.push(part)),
      log,
    )
    // Whoever only reads the streams has seen the error there.
    started.catch(() => {})
    return started
  }

  return {
    stream: readable(log, start, (part) => part),
    textStream: readable(log, start, textOnly(), { failing: true }),
    result: {
      // oxlint-disable-next-line unicorn/no-thenable -- awaiting it is what starts the run
      then: (fulfilled, rejected) => start().then(fulfilled, rejected),
    },
  }
}

/** Text that was read cannot be taken back. */
function textOnly(): (part: StreamPart) => string | undefined {
  let given = false
  return (part) => {
    if (part.type === 'raw' && given) {
      throw new KeepsakeError(
        'conflict',
        'This run began again, and the text that was read is not what is stored. Await `result`, or read `stream`, which says so.',
      )
    }
    if (part.type !== 'text-delta') return undefined
    given = true
    return part.text
  }
}

async function follow(running: Promise<RunResult>, log: PartLog<StreamPart>): Promise<RunResult> {
  try {
    const result = await running
    log.end()
    return result
  } catch (error) {
    if (KeepsakeError.isInstance(error, 'aborted')) log.push({ type: 'abort', reason: errorText(error.cause) })
    else log.push({ type: 'error', error })
    log.end({ error })
    throw error
  }
}

function readable<T>(
  log: PartLog<StreamPart>,
  start: () => unknown,
  pick: (part: StreamPart) => T | undefined,
  { failing = false } = {},
): ReadableStream<T> & AsyncIterable<T> {
  const reader = { index: 0, cancelled: false }
  const stream = new ReadableStream<T>(
    {
      async pull(controller) {
        start()
        while (!reader.cancelled) {
          const part = await log.at(reader.index++)
          if (reader.cancelled) return
          if (part === undefined) {
            if (failing && log.failure !== undefined) controller.error(log.failure.error)
            else controller.close()
            return
          }
          const picked = pick(part)
          if (picked !== undefined) return controller.enqueue(picked)
        }
      },
      cancel() {
        reader.cancelled = true
      },
    },
    // Nothing is asked for before somebody reads.
    { highWaterMark: 0 },
  )
  return iterable(stream)
}

/** Not every runtime can iterate its streams yet. */
function iterable<T>(stream: ReadableStream<T>): ReadableStream<T> & AsyncIterable<T> {
  if (Symbol.asyncIterator in stream) return stream
  const source: ReadableStream<T> = stream
  async function* values(): AsyncGenerator<T> {
    const reader = source.getReader()
    let done = false
    try {
      for (;;) {
        const next = await reader.read()
        done = next.done
        if (next.done) return
        yield next.value
      }
    } finally {
      if (!done) await reader.cancel()
      reader.releaseLock()
    }
  }
  return Object.assign(source, { [Symbol.asyncIterator]: values })
}
