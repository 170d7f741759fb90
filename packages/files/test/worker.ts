/**
 * A process of its own for tests. `node worker.ts KIND WHERE JOB ...`: KIND is `local` with a root or `rows` with a
 * database; JOB is `edit ID COUNT` (marks the lines `ID-0:` to `ID-COUNT:`), `claim ID` (replaces `free`), `hold NAME`
 * (takes a lock and stops there), or `rewrite` (writes the file over and over, `a` and `b` in turn).
 */
import { sqliteStore } from '@keepsake/store-sql/sqlite'
import type { Files } from '../src/files.ts'
import { withFileLock } from '../src/local/file-lock.ts'
import { localFiles } from '../src/local/local-files.ts'
import { rowFiles } from '../src/row-files.ts'

const [kind, where = '', job, id = '', count = '0'] = process.argv.slice(2)
const files: Files = kind === 'local' ? localFiles({ root: where }) : rowFiles(sqliteStore({ path: where }), 'ada')

process.stdout.write('ready\n')
await new Promise((resolve) => process.stdin.once('data', resolve))

if (job === 'edit') {
  let landed = 0
  for (let i = 0; i < Number(count); i++) {
    const result = await files.edit('/a.md', `${id}-${i}:\n`, `${id}-${i}: done\n`)
    if (result.ok) landed++
  }
  process.stdout.write(`${landed}\n`)
} else if (job === 'claim') {
  const result = await files.edit('/a.md', 'free', `taken by ${id}`)
  process.stdout.write(`${result.ok ? 'ok' : result.code}\n`)
} else if (job === 'hold') {
  await withFileLock(id, { id: `holder-${process.pid}` }, () => {
    process.stdout.write('held\n')
    return new Promise(() => setInterval(() => {}, 1000))
  })
} else if (job === 'rewrite') {
  for (let i = 0; ; i++) {
    await files.write('/a.md', (i % 2 === 0 ? 'a' : 'b').repeat(100_000))
    process.stdout.write('.\n')
  }
}
process.exit()
