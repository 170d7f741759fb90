/** The arrows between the published packages, by folder name, and which of their entries run anywhere. */
export interface Layer {
  /** Packages of ours that its sources may import. Tests may also use what stands beside or above. */
  uses: readonly string[]
  /**
   * Entries without `node:` imports and Node's globals: browsers, workers, Deno and Bun run them too, as far as the peers do
   * that they are given.
   */
  neutral: readonly string[]
}

/** A new package is added here first: the checks refuse one that is not listed. `docs/architecture.md` draws this. */
export const layers: Readonly<Record<string, Layer>> = {
  core: { uses: [], neutral: ['.', './telemetry'] },
  strategies: { uses: ['core'], neutral: ['.', './gpt-tokenizer', './markdown'] },
  files: { uses: ['core'], neutral: ['.', './tree'] },
  'files-s3': { uses: ['core', 'files'], neutral: [] },
  // `open` only where long-term memory is an address: an optional peer, imported when it is first used.
  agent: { uses: ['core', 'strategies', 'files', 'open'], neutral: ['.'] },
  // `files` for `./files` alone: an optional peer.
  privacy: { uses: ['core', 'files'], neutral: ['.'] },
  'adapter-ai-sdk': { uses: ['core', 'strategies', 'agent'], neutral: ['.'] },
  'store-sql': { uses: ['core'], neutral: ['./postgres'] },
  'adapter-anthropic': { uses: ['core', 'files'], neutral: ['.'] },
  'store-redis': { uses: ['core'], neutral: [] },
  'store-firestore': { uses: ['core'], neutral: [] },
  'store-bigtable': { uses: ['core'], neutral: [] },
  'store-testing': { uses: ['core', 'strategies', 'files'], neutral: [] },
  open: { uses: ['core', 'store-sql', 'store-redis', 'store-firestore', 'store-bigtable'], neutral: [] },
  cli: { uses: ['core', 'files', 'open', 'privacy'], neutral: [] },
}
