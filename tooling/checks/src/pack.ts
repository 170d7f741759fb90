import { existsSync, globSync, mkdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { mustRun } from './run-command.ts'
import type { Workspace } from './workspace.ts'

/** Packs a built package into a folder, as publishing would, and says where the tarball is. */
export async function pack({ dir }: Workspace, into: string): Promise<string> {
  mkdirSync(into, { recursive: true })
  removeLeftovers(dir)
  const [command, ...args] = pnpm()
  const said = await mustRun(command, [...args, 'pack', '--json', '--pack-destination', into], dir)
  const { filename } = JSON.parse(said.slice(said.indexOf('{'), said.lastIndexOf('}') + 1)) as { filename: string }
  return join(into, basename(filename))
}

/** The files of a tarball, without the `package/` that npm puts around them. */
export async function unpack(tarball: string, into: string): Promise<void> {
  mkdirSync(into, { recursive: true })
  await mustRun('tar', ['-xzf', tarball, '-C', into, '--strip-components=1'], into)
}

/** tsc leaves in `dist` what it made of a source that was renamed or removed since. A release builds from nothing. */
function removeLeftovers(dir: string): void {
  for (const file of globSync('dist/**/*.{js,d.ts,map}', { cwd: dir })) {
    const source = file.replace(/^dist/, 'src').replace(/(\.js|\.d\.ts)(\.map)?$/, '.ts')
    if (!existsSync(join(dir, source))) rmSync(join(dir, file), { force: true })
  }
}

/** The pnpm that runs this script; npm fetches one where a program was started without it. */
function pnpm(): [string, ...string[]] {
  const running = process.env['npm_execpath']
  return running !== undefined && basename(running).startsWith('pnpm') ? [running] : ['npx', '-y', 'pnpm@12']
}
