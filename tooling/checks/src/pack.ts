import { mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { mustRun } from './run-command.ts'
import type { Workspace } from './workspace.ts'

/** Packs a built package into a folder, as publishing would, and says where the tarball is. */
export async function pack(workspace: Workspace, into: string): Promise<string> {
  mkdirSync(into, { recursive: true })
  const [command, ...args] = pnpm()
  const said = await mustRun(command, [...args, 'pack', '--json', '--pack-destination', into], workspace.dir)
  const { filename } = JSON.parse(said.slice(said.indexOf('{'), said.lastIndexOf('}') + 1)) as { filename: string }
  return join(into, basename(filename))
}

/** The files of a tarball, without the `package/` that npm puts around them. */
export async function unpack(tarball: string, into: string): Promise<void> {
  mkdirSync(into, { recursive: true })
  await mustRun('tar', ['-xzf', tarball, '-C', into, '--strip-components=1'], into)
}

/** The pnpm that runs this script; npm fetches one where a program was started without it. */
function pnpm(): [string, ...string[]] {
  const running = process.env['npm_execpath']
  return running !== undefined && basename(running).startsWith('pnpm') ? [running] : ['npx', '-y', 'pnpm@12']
}
