import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { styleText } from 'node:util'
import { story, type Scene } from './story.ts'

const indent = (text: string): string => text.trimEnd().replace(/^(?=.)/gm, '  ')
const dim = (text: string): string => styleText('dim', text, { stream: process.stdout })
const red = (text: string): string => styleText('red', text, { stream: process.stdout })
const bold = (text: string): string => styleText('bold', text, { stream: process.stdout })

/** Runs one scene in a process of its own, so that nothing can be remembered in memory. */
async function play(scene: Scene, folder: string): Promise<void> {
  const { user, thread, says, diesInStep } = scene
  console.log(`\n${bold(user)} ${dim(`in the conversation "${thread}", in a new process`)}`)
  console.log(`  ${says}`)
  if (diesInStep === undefined) {
    console.log(styleText('green', indent(await answerOf(scene, folder)), { stream: process.stdout }))
    return
  }
  // Named, so that the second process goes on with what the first has begun.
  const trace = join(folder, 'prompts.jsonl')
  const named = ['--run', 'run-1', '--trace', trace]
  await answerOf(scene, folder, [...named, '--die-in-step', String(diesInStep)], 'SIGKILL')
  console.log(red(`  ✗ Its process was killed (kill -9): it had saved that, and had not answered yet.`))
  console.log(
    dim('  The same again, in a new process. It waits three seconds, to be sure that the first is dead, and goes on …'),
  )
  const said = await answerOf(scene, folder, named)
  console.log(styleText('green', indent(said), { stream: process.stdout }))
  const asked = (await readFile(trace, 'utf8')).trim().split('\n').length
  console.log(dim(`  The model was asked ${asked} times by both together, once for each step: nothing was done again.`))
}

/** What the assistant says to it. Throws unless its process ends as it should. */
async function answerOf(
  { user, thread, says }: Scene,
  folder: string,
  more: readonly string[] = [],
  end?: NodeJS.Signals,
): Promise<string> {
  const child = spawn(
    process.execPath,
    [
      fileURLToPath(new URL('chat.ts', import.meta.url)),
      '--folder',
      folder,
      '--user',
      user,
      '--thread',
      thread,
      '--say',
      says,
      ...more,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  let answer = ''
  for await (const chunk of child.stdout.setEncoding('utf8')) answer += chunk
  if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
  const ended = child.signalCode ?? child.exitCode
  if (ended !== (end ?? 0)) throw new Error(`The assistant ended with ${ended}.`)
  return answer
}

async function show(folder: string): Promise<void> {
  const memory = join(folder, 'memory', 'ada', 'AGENTS.md')
  console.log(`\n${bold("Ada's memory file")} ${dim(memory)}`)
  console.log(indent(await readFile(memory, 'utf8')))
  console.log(`\n${bold('Where everything lies')}
  ${join(folder, 'memory')}  ${dim('memory files, a folder per user: open them with any editor')}
  ${join(folder, 'assistant.db')}  ${dim('conversations and records: look at them with the keepsake command')}

${dim('Look around:')}
  npx -y pnpm@12 keepsake --store sqlite:${join(folder, 'assistant.db')} threads
  npx -y pnpm@12 keepsake --store sqlite:${join(folder, 'assistant.db')} records ada
  npx -y pnpm@12 chat --folder ${folder} --user ada
`)
}

const folder = await mkdtemp(join(tmpdir(), 'keepsake-demo-'))
try {
  console.log(dim('A scripted model stands in for a real one; memory, files and database are real.'))
  for (const scene of story) await play(scene, folder)
  await show(folder)
} catch (error) {
  await rm(folder, { recursive: true, force: true })
  throw error
}
