import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolders } from './temporary-folder.ts'

const folder = temporaryFolders()

it('downloads more files than a process may open', () => {
  const root = folder()
  for (let i = 0; i < 300; i++) writeFileSync(join(root, `${i}.md`), 'x')
  const script = `
    const { localFiles } = await import('@keepsake/files/local')
    const paths = Array.from({ length: 300 }, (_, i) => '/' + i + '.md')
    const results = await localFiles({ root: ${JSON.stringify(root)} }).download(paths)
    console.log(results.filter((result) => result.ok).length)`
  const command = 'ulimit -n 128 && exec "$0" --input-type=module -e "$1"'
  const options = { encoding: 'utf8', cwd: new URL('.', import.meta.url) } as const
  expect(execFileSync('sh', ['-c', command, process.execPath, script], options)).toBe('300\n')
})
