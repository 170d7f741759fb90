/** Sets of the numbers from 0 to size - 1, each alone at first. */
export interface DisjointSets {
  /** The number that stands for the set of this one. */
  find(index: number): number
  join(a: number, b: number): void
}

/** Union-find with path halving: in practice linear. */
export function disjointSets(size: number): DisjointSets {
  const parents = Array.from({ length: size }, (_, index) => index)
  const find = (index: number): number => {
    let at = index
    while (parents[at] !== at) at = parents[at] = parents[parents[at]!]!
    return at
  }
  return {
    find,
    join(a, b) {
      parents[find(b)] = find(a)
    },
  }
}
