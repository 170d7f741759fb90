/** A writer prints a line after every so many calls. */
export const REPORT_EVERY = 20
