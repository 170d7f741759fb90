import { createInterface } from 'node:readline/promises'
import { styleText } from 'node:util'
import type { Assistant } from './assistant.ts'
import { dieInStep } from './die-in-step.ts'
import { openModel } from './model.ts'
import { HELP, parseOptions, type ChatOptions } from './options.ts'
import { tracePrompts } from './trace-prompts.ts'
import { UsageError } from './usage-error.ts'

const dim = (text: string): string => styleText('dim', text, { stream: process.stdout })
const bold = (text: string): string => styleText('bold', text, { stream: process.stdout })

async function main(args: readonly string[]): Promise<void> {
  const options = parseOptions(args)
  if (options.help) {
    process.stdout.write(HELP)
    return
  }
  const model = await openModel(options)
  const middleware = [
    ...(options.dieInStep === undefined ? [] : [dieInStep(options.dieInStep)]),
    ...(options.trace === undefined ? [] : [tracePrompts(options.trace)]),
  ]
  // Loaded only now, so that help and mistakes are answered at once.
  const { openAssistant } = await import('./assistant.ts')
  await using assistant = await openAssistant({ model, folder: options.folder, middleware })
  if (options.say === undefined) await converse(assistant, options)
  else await answer(assistant, options, options.say)
  if (options.say === undefined || options.consolidate) await consolidate(assistant, options)
}

/** What was said is kept whatever becomes of this: the next time goes on where this one stopped. */
async function consolidate(assistant: Assistant, { user, thread }: ChatOptions): Promise<void> {
  const { status, results } = await assistant.consolidate(user, `${user}/${thread}`)
  const files = results.flatMap(({ changed, created }) => [...changed, ...created])
  if (files.length > 0) console.log(dim(`Noted in ${[...new Set(files)].join(', ')}.`))
  if (status === 'failed') console.error(dim(`Your notes are not up to date: ${results.at(-1)?.message ?? status}`))
}

/** Streams the answer to one message. */
async function answer(
  { agent }: Assistant,
  { user, thread, project, run: runId }: ChatOptions,
  prompt: string,
): Promise<void> {
  const named = runId === undefined ? {} : { runId }
  const run = agent.stream({ threadId: `${user}/${thread}`, prompt, context: { userId: user, project }, ...named })
  for await (const text of run.textStream) process.stdout.write(text)
  process.stdout.write('\n')
  await run.result
}

async function converse(assistant: Assistant, options: ChatOptions): Promise<void> {
  const { user, thread } = options
  const before = await assistant.agent.messages(`${user}/${thread}`, { owner: user, last: 1 })
  console.log(
    `${bold(`Hello ${user}.`)} ${before.length > 0 ? `We go on with "${thread}".` : `This is "${thread}", a new conversation.`}`,
  )
  console.log(
    dim(
      `Your memory file: ${assistant.memoryPath(user)}\nAn empty line or Ctrl-D ends it. Try: Please remember that I prefer answers in German.\n`,
    ),
  )
  const terminal = createInterface({ input: process.stdin, output: process.stdout, prompt: `${user}> ` })
  let open = true
  terminal.once('close', () => (open = false))
  terminal.prompt()
  for await (const line of terminal) {
    if (line.trim() === '') break
    try {
      await answer(assistant, options, line)
    } catch (error) {
      // A failed run leaves nothing in the history, so the person can simply try again.
      console.error(explain(error))
    }
    // Lines that came by a pipe are still answered after it has ended.
    if (open) terminal.prompt()
  }
  terminal.close()
  console.log(dim('\nBye. I keep what you told me.'))
}

function explain(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  console.error(explain(error))
  process.exitCode = error instanceof UsageError ? 2 : 1
}
