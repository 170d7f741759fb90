import { jsonSchema } from '@ai-sdk/provider-utils'
import { untrustedText, type Records, type Run, type ToolOptions } from '@keepsake/core'
import { isInjected, isNotes, notesMessage, notesSection, notesStore, type NotesPatch } from '@keepsake/strategies'
import type { Middleware } from './middleware.ts'

export interface NotesMiddlewareOptions<C> {
  /** Where notes are, or which records those are in this run: worked out from its context, never by the model. */
  // oxlint-disable-next-line typescript/no-explicit-any -- values of any shape may lie beside them
  from: Records<any> | ((run: Run<C>) => Records<any> | undefined)
}

const TOOL = 'update_working_notes'
const text = { type: 'string' } as const
const texts = { type: 'array', items: text } as const

/**
 * Working notes of a thread: shown to the model before the newest user message (`Current working memory:`), and changed by
 * it with `update_working_notes`, which leaves alone what a call does not name. Kept from run to run, and no part of what is
 * said. Notes that were written after reading something untrusted are shown in their thread none the less, and what is stored
 * after reading them is in quarantine.
 */
export function notesMiddleware<C = any>({ from }: NotesMiddlewareOptions<C>): Middleware<C> {
  const storeOf = (run: Run<C>) => {
    const records = typeof from === 'function' ? from(run) : from
    return records === undefined ? undefined : notesStore(records)
  }
  return {
    name: 'notes',
    tools: {
      [TOOL]: {
        description:
          'Keep track of what you are doing: your goal, your plan and which step you are at (from 0), results, observations, hypotheses, and what you are blocked on. Notes that you leave out stay as they are; a list replaces the whole list; null takes a note away.',
        inputSchema: jsonSchema<NotesPatch>({
          type: 'object',
          properties: {
            currentGoal: { type: ['string', 'null'] },
            planSteps: { ...texts, type: ['array', 'null'] },
            currentStepIndex: { type: ['integer', 'null'], minimum: 0 },
            intermediateResults: { type: ['object', 'null'], additionalProperties: text },
            observations: { ...texts, type: ['array', 'null'] },
            hypotheses: { ...texts, type: ['array', 'null'] },
            blockedOn: { type: ['string', 'null'] },
          },
          additionalProperties: false,
        }),
        async execute(patch: NotesPatch, { run, untrusted: sources, abortSignal: signal }: ToolOptions<C>) {
          const notes = run === undefined ? undefined : storeOf(run)
          if (notes === undefined) return 'Error: there are no working notes here'
          return (
            notesSection(await notes.patch(run!.threadId, patch, { signal, ...(sources && { sources }) })) ||
            'The working notes are empty.'
          )
        },
      },
    },
    start(run) {
      const notes = storeOf(run)
      if (notes === undefined) return undefined
      const read = () => notes.load(run.threadId, { signal: run.signal })
      return {
        async prepare(messages, context) {
          const { notes: now, quarantined } = await (context?.step === undefined ? read() : context.step('notes', read))
          const message = notesMessage(now, quarantined ? [untrustedText({ tool: TOOL })] : [])
          const own = messages.filter((one) => !isNotes(one))
          if (message === undefined) return own
          const place = own.findLastIndex((one) => one.role === 'user' && !isInjected(one))
          return own.toSpliced(place < 0 ? own.length : place, 0, message)
        },
      }
    },
  }
}
