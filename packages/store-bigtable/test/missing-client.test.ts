import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

test('without the client package, importing works and the first use says what to install', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  cpSync(join(import.meta.dirname, '../src'), join(folder, 'src'), { recursive: true })
  mkdirSync(join(folder, 'node_modules/@keepsake'), { recursive: true })
  symlinkSync(join(import.meta.dirname, '../../core'), join(folder, 'node_modules/@keepsake/core'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(
    join(folder, 'use.ts'),
    `import { bigtableStore } from './src/index.ts'
     const store = bigtableStore({ project: 'p', instance: 'i', table: 't' })
     console.log(await store.load([{ entity: 'e', key: 'k' }]).catch((e) => e.code + ': ' + e.message))
     await store.close()`,
  )
  // Package managers' scripts set NODE_PATH to the workspace, where everything is.
  const { NODE_PATH: _, ...env } = process.env
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'use.ts')], { env })
  expect(stdout).toBe(
    'unsupported: The Bigtable store needs the package @google-cloud/bigtable, which is not installed: pnpm add @google-cloud/bigtable\n',
  )
})
