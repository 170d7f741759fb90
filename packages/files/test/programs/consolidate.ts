// node consolidate.ts FOLDER: consolidates one thread, two messages at a time, in a database and files of this folder, and
// says how far it got. The test kills it.
import { join } from 'node:path'
import { chatMemory } from '@keepsake/core'
import { sqliteStore } from '../../../store-sql/src/sqlite.ts'
import { scriptedModel } from '../../../store-testing/src/index.ts'
import { backgroundConsolidation, createMemoryConsolidator, createMemoryToolset } from '../../src/index.ts'
import { localFiles } from '../../src/local/index.ts'

const [folder = ''] = process.argv.slice(2)
await using store = sqliteStore({ path: join(folder, 'memory.db'), durability: 'process' })
const chat = chatMemory(store)

/** Puts every message below the last line of the notes, by an edit: done twice, it would be there twice. */
const model = scriptedModel(({ prompt }) => {
  const message = prompt.find(({ role }) => role === 'user')!
  const { text } = message.content[0] as { text: string }
  const [, files, said] = /^Files:\n([^]*?)\n\nConversation, oldest first:\n([^]*)$/.exec(text)!
  const notes = (JSON.parse(files!) as { content: string }[])[0]!.content
  const last = notes.trimEnd().split('\n').at(-1)!
  const lines = (JSON.parse(said!) as { text: string }[]).map((one) => `- ${one.text}`)
  process.stdout.write(`asked ${lines.length}\n`)
  return JSON.stringify({
    changes: [{ path: '/NOTES.md', edits: [{ old_str: last, new_str: [last, ...lines].join('\n') }] }],
  })
})

const background = backgroundConsolidation({
  store,
  chat,
  consolidator: createMemoryConsolidator({ model }),
  toolset: () =>
    createMemoryToolset(localFiles({ root: join(folder, 'files') }), {
      always: ['/NOTES.md'],
      templates: { '/NOTES.md': '# Notes\n' },
    }),
  batchMessages: 2,
  leaseMs: 200,
})
const { status } = await background.runThread('ada', 't')
process.stdout.write(`${status}\n`)
