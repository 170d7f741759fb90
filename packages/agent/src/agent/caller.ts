import type { Message, Stored } from '@keepsake/core'
import type { FlushResult } from '@keepsake/files'
import type { Emit, StreamPart } from '../stream/stream-part.ts'
import type { RunResult } from './run-result.ts'
import type { RunSignal } from './run-signal.ts'
import type { StartedMiddleware } from './start-middleware.ts'

/**
 * Whoever runs a run: all of it that is not stored. A run that is taken over is run for the one who takes it over, whose owner
 * is the same: contexts may hold secrets and connections, and are never stored.
 */
export interface Caller {
  runId: string
  context: unknown
  owner: string | undefined
  subject: string | undefined
  stop: RunSignal
  emit: Emit | undefined
  /** What came of the caller's own run in this process. */
  own: OwnRun
}

export interface OwnRun {
  /** Whether it had to wait for another run of its thread. */
  waited?: true
  /** Whether the run was begun here. */
  ran?: true
  /** Whether something of it was streamed. */
  shown?: true
  error?: unknown
  /** What the handler has made, once it is decided. */
  done?: { output: RunOutput; messages: Message[]; memory?: FlushResult }
  /** The end of the step that a suspended run is in. */
  stepEnd?: () => StreamPart
  middleware?: readonly StartedMiddleware[]
}

/** What a run is asked, as its event holds it. */
export interface RunData {
  messages: Message[]
  owner?: string
  subject?: string
}

/** What a run came to, as its commit holds it. */
export interface RunOutput extends Pick<RunResult, 'finishReason' | 'usage'> {
  rawFinishReason?: string
  /** How many of the messages are the input. */
  inputs: number
  /** Left out where chat memory holds them. */
  messages?: (Message | Stored<Message>)[]
}
