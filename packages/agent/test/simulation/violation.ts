/** A run broke an invariant: which one, and how. */
export class Violation extends Error {
  readonly invariant: string
  constructor(invariant: string, what: string) {
    super(`${invariant}: ${what}`)
    this.name = 'Violation'
    this.invariant = invariant
  }
}
