import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { UsageError } from './usage-error.ts'

export interface ChatOptions {
  user: string
  thread: string
  folder: string
  model: string
  baseUrl: string | undefined
  /** Whose files are mounted as `/project`; none if left out. */
  project: string | undefined
  /** Write what will matter later into the user's notes when the one thing was answered. */
  consolidate: boolean
  /** Say this one thing, print the answer and leave. */
  say: string | undefined
  /** Names what is said, so that it goes on where it was cut off when it is said again. */
  run: string | undefined
  /** Kill this process when it is about to ask the model for the nth time. */
  dieInStep: number | undefined
  /** Append every prompt that is sent to the model to this file, one line of JSON each. */
  trace: string | undefined
  help: boolean
}

export const HELP = `A chat assistant that remembers.

Usage: npx -y pnpm@12 chat [options]

  --user NAME       who is talking (default: you)
  --thread ID       which conversation (default: main); an old one is resumed
  --project NAME    which project: its memory is shared by all who work on it
  --model MODEL     openai:NAME, anthropic:NAME, or scripted (default; needs no key)
  --base-url URL    a server that speaks OpenAI's API; --model is then its model's name
  --folder PATH     where everything is kept (default: apps/assistant/data)
  --say TEXT        say one thing, print the answer and leave
  --consolidate     with --say: then write what will matter later into your notes (a conversation always ends so)
  --run ID          with --say: names it; said again after the process was killed, it goes on where it was
  --die-in-step N   with --say: kill this process when it is about to ask the model for the Nth time
  --trace FILE      write every prompt to a file, to see what the model sees
  --help            this text

Examples:
  npx -y pnpm@12 chat
  npx -y pnpm@12 chat --user ada --thread monday
  OPENAI_API_KEY=… npx -y pnpm@12 chat --model openai:gpt-5.4-mini
  npx -y pnpm@12 chat --base-url http://localhost:11434/v1 --model llama3.3
`

/** Reads the command line. Throws a {@link UsageError} that says what is wrong. */
export function parseOptions(args: readonly string[]): ChatOptions {
  const { values, positionals } = parse(args)
  if (positionals.length > 0) {
    throw new UsageError(`What is "${positionals[0]}"? To say one thing: --say "${positionals.join(' ')}". Try --help.`)
  }
  for (const name of ['user', 'thread', 'project'] as const) {
    if (values[name] === '') throw new UsageError(`--${name} is empty; give it a name, or leave it out.`)
  }
  for (const name of ['run', 'die-in-step', 'consolidate'] as const) {
    if (values[name] !== undefined && !values.say) throw new UsageError(`--${name} goes with --say TEXT.`)
  }
  if (values.say === '') throw new UsageError('--say is empty; say something, or leave it out for a conversation.')
  return {
    user: values.user ?? 'you',
    thread: values.thread ?? 'main',
    project: values.project,
    consolidate: values.consolidate ?? false,
    folder: values.folder ?? fileURLToPath(new URL('../data', import.meta.url)),
    model: values.model ?? 'scripted',
    baseUrl: values['base-url'],
    say: values.say,
    run: values.run,
    dieInStep: stepOf(values['die-in-step']),
    trace: values.trace,
    help: values.help ?? false,
  }
}

function stepOf(value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  if (!/^[1-9]\d?$/.test(value)) throw new UsageError('--die-in-step must be a number from 1 to 99.')
  return Number(value)
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        user: { type: 'string' },
        thread: { type: 'string' },
        project: { type: 'string' },
        consolidate: { type: 'boolean' },
        folder: { type: 'string' },
        model: { type: 'string' },
        'base-url': { type: 'string' },
        say: { type: 'string' },
        run: { type: 'string' },
        'die-in-step': { type: 'string' },
        trace: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (error) {
    throw new UsageError(`${(error as Error).message.replace(/\.?$/, '.')} Try --help.`)
  }
}
