import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { styleText } from 'node:util'
import { story, type Scene } from './story.ts'

const indent = (text: string): string => text.trimEnd().replace(/^(?=.)/gm, '  ')
const dim = (text: string): string => styleText('dim', text, { stream: process.stdout })
const bold = (text: string): string => styleText('bold', text, { stream: process.stdout })

/** Runs one scene in a process of its own, so that nothing can be remembered in memory. */
async function play({ user, thread, says }: Scene, folder: string): Promise<void> {
  console.log(`\n${bold(user)} ${dim(`in the conversation "${thread}", in a new process`)}`)
  console.log(`  ${says}`)
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
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  let answer = ''
  for await (const chunk of child.stdout.setEncoding('utf8')) answer += chunk
  const code = child.exitCode ?? (await new Promise<number>((resolve) => child.once('close', resolve)))
  if (code !== 0) throw new Error(`The assistant ended with ${code}.`)
  console.log(styleText('green', indent(answer), { stream: process.stdout }))
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
