import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mustRun } from '../src/run-command.ts'
import { publishedPackages, repoRoot, runtimeDependencies, workspaces } from '../src/workspace.ts'

// A copy of what changesets reads, in a repository of its own, where every package has been released once as 0.1.0.
const repo = mkdtempSync(join(tmpdir(), 'keepsake-release-'))
const changeset = (...args: string[]): Promise<string> =>
  mustRun(join(repoRoot, 'node_modules/.bin/changeset'), args, repo)
const names = publishedPackages().map(({ manifest }) => manifest.name)
const change = join(repo, '.changeset/change.md')

function writeChange(packages: readonly string[], kind: 'patch' | 'minor'): void {
  const lines = packages.map((name) => `'${name}': ${kind}`)
  writeFileSync(change, `---\n${lines.join('\n')}\n---\n\nA change.\n`)
}

/** What `changeset version` would release now. */
async function releases(): Promise<Record<string, string>> {
  await changeset('status', '--output', 'plan.json')
  const plan = JSON.parse(readFileSync(join(repo, 'plan.json'), 'utf8')) as {
    releases: { name: string; type: string; newVersion: string }[]
  }
  const changed = plan.releases.filter(({ type }) => type !== 'none')
  return Object.fromEntries(changed.map(({ name, newVersion }) => [name, newVersion]))
}

beforeAll(async () => {
  for (const path of ['package.json', 'pnpm-workspace.yaml', 'pnpm-lock.yaml', '.changeset/config.json']) {
    cpSync(join(repoRoot, path), join(repo, path))
  }
  for (const { path, dir, manifest } of workspaces()) {
    const copy = manifest.private === true ? manifest : { ...manifest, version: '0.1.0' }
    cpSync(join(dir, 'package.json'), join(repo, path, 'package.json'))
    writeFileSync(join(repo, path, 'package.json'), JSON.stringify(copy))
  }
  await mustRun('git', ['init', '-q', '-b', 'main'], repo)
  await mustRun('git', ['add', '-A'], repo)
  const person = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgsign=false']
  await mustRun('git', [...person, 'commit', '-qm', 'Released'], repo)
})
afterAll(() => rmSync(repo, { recursive: true, force: true }))

describe('a changeset', () => {
  it.for(names)('for a fix of %s releases that package alone', async (name) => {
    writeChange([name], 'patch')
    expect(await releases()).toEqual({ [name]: '0.1.1' })
  })

  it('that leaves the range of those who depend on a package releases them too, and nobody else', async () => {
    writeChange(['@keepsake/files'], 'minor')
    const dependents = publishedPackages().filter(({ manifest }) =>
      runtimeDependencies(manifest).includes('@keepsake/files'),
    )
    const patched = dependents.map(({ manifest }) => [manifest.name, '0.1.1'])
    expect(await releases()).toEqual({ '@keepsake/files': '0.2.0', ...Object.fromEntries(patched) })
  })
})
