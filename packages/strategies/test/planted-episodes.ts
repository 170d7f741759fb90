import type { Episode, EpisodeOutcome } from '../src/index.ts'

/** Episodes, and for each a task that is like it in other words. */
export const planted: readonly { episode: Omit<Episode, 'atMs'>; paraphrase: string }[] = [
  plant(
    'Move the invoices from MySQL to PostgreSQL',
    'Dumped the tables, converted the types, loaded with COPY',
    'Zero dates must become null before loading',
    'We want to migrate our invoice tables off MySQL onto PostgreSQL',
  ),
  plant(
    'Book a hotel in Lisbon near the conference',
    'Searched by distance and price',
    'The user wants a quiet room away from the lift',
    'Find me somewhere to stay in Lisbon for the conference',
  ),
  plant(
    'Write a press release about the new ferry',
    'Interviewed the captain, wrote three drafts',
    'Quote the captain in the first paragraph',
    'Draft a text for the press: our ferry starts sailing',
  ),
  plant(
    'Fix the flaky login test',
    'Replaced the sleep by a clock that is injected',
    'The session cookie expired between two requests',
    'A test of the login fails now and then, repair it',
  ),
  plant(
    'Translate the user manual into Polish',
    'Made a glossary first and had it checked',
    'Units stay metric and buttons keep their English names',
    'Our customers in Warsaw ask for the manual in Polish',
  ),
  plant(
    'Plan a birthday party for thirty children',
    'Made groups of six with a game each',
    'Two children cannot eat nuts',
    'Help with the birthday of my son, thirty kids are coming',
  ),
  plant(
    'Reduce the cloud bill of the staging cluster',
    'Stopped nodes at night',
    'The nightly backup needs one node awake',
    'Our staging cluster in the cloud costs too much',
  ),
  plant(
    'Summarise the quarterly sales figures',
    'Loaded the spreadsheet, grouped by region',
    'Returns are negative rows and must be added',
    'Give me a summary of how sales went this quarter, by region',
  ),
  plant(
    'Diagnose a memory leak in the image service',
    'Took heap snapshots an hour apart',
    'Thumbnails were cached without a limit',
    'The service for images eats more and more memory',
  ),
  plant(
    'Find a plumber for a leaking radiator',
    'Called three, asked for prices',
    'The second one comes on Saturdays',
    'A radiator leaks; who can come and repair it?',
  ),
  plant(
    'Set up single sign-on with the university',
    'Registered metadata with the federation',
    'Clocks must agree within a minute',
    'Students of the university should sign on with their account',
  ),
  plant(
    'Compare electric bicycles under two thousand euros',
    'Made a table of range, weight and warranty',
    'Range in winter is a third less',
    'Which electric bicycle should I buy for less than 2000 euros?',
  ),
  plant(
    'Prepare the annual general meeting of the choir',
    'Sent the agenda four weeks ahead',
    'The treasurer reports before the election',
    'The choir has its yearly general meeting, what must be prepared?',
  ),
  plant(
    'Rewrite the recursive parser as a loop',
    'Used an explicit stack',
    'Deep nesting overflowed at ten thousand levels',
    'Our parser overflows the stack on deeply nested input',
  ),
  plant(
    'Cancel the gym membership',
    'Wrote by registered mail',
    'The notice period is three months to the end of a quarter',
    'I no longer go to the gym and want to end my membership',
  ),
  plant(
    'Create an onboarding checklist for nurses',
    'Asked two wards what new nurses lack',
    'Access to the pharmacy takes a week',
    'New nurses start in May: make a checklist for their first days',
  ),
  plant(
    'Estimate the harvest of the apple orchard',
    'Counted apples on twenty trees',
    'Frost in April halves the northern rows',
    'How many apples will the orchard give this year?',
  ),
  plant(
    'Answer a complaint about a late parcel',
    'Apologised, traced the parcel, refunded shipping',
    'Name the new delivery date in the first sentence',
    'A customer complains: the parcel has not arrived',
  ),
  plant(
    'Tune the full text search of the archive',
    'Stemmed words and dropped stop words',
    'Scanned pages need correction of letters first',
    'Searching the archive finds too little, improve it',
  ),
  plant(
    'Organise the recycling of old laptops',
    'Wiped the disks, gave them to a school',
    'Batteries go separately',
    'What to do with our old laptops? They should be recycled',
  ),
]

function plant(task: string, approach: string, lessons: string, paraphrase: string): (typeof planted)[number] {
  return { episode: { task, approach, outcome: 'success', lessons, toolsUsed: [] }, paraphrase }
}

const VERBS = [
  'Write',
  'Plan',
  'Fix',
  'Find',
  'Compare',
  'Prepare',
  'Translate',
  'Set up',
  'Reduce',
  'Organise',
  'Book',
  'Answer',
  'Summarise',
  'Test',
  'Cancel',
]
const THINGS = [
  'database',
  'hotel room',
  'report',
  'test',
  'manual',
  'party',
  'bill',
  'spreadsheet',
  'service',
  'repair',
  'account',
  'contract',
  'meeting',
  'parser',
  'subscription',
  'checklist',
  'garden',
  'customer letter',
  'search page',
  'laptop',
  'newsletter',
  'timetable',
  'website',
  'budget',
  'survey',
]
const PLACES = [
  'for the office in Bern',
  'of the school',
  'for a customer in Porto',
  'of the museum',
  'for the summer',
  'of the library',
  'before Friday',
  'for new colleagues',
  'of the harbour',
  'in three languages',
  'for the children',
  'with less money',
]
const LESSONS = [
  'Ask for the deadline first',
  'Start earlier',
  'Check the numbers twice',
  'The user wants short answers',
  'Keep a copy',
  'Name a price',
  'Two drafts are enough',
  'Call instead of writing',
]
const OUTCOMES: readonly EpisodeOutcome[] = ['success', 'partial', 'failure']

/** Other episodes of the same walks of life, all different. */
export function distractors(count: number): Omit<Episode, 'atMs'>[] {
  return Array.from({ length: count }, (_, n) => {
    const at = <T>(list: readonly T[], step: number): T => list[Math.floor(n / step) % list.length]!
    return {
      task: `${at(VERBS, 1)} the ${at(THINGS, VERBS.length)} ${at(PLACES, 7)}`,
      approach: `${at(VERBS, 3)} a draft, then asked about the ${at(THINGS, 2)}`,
      outcome: at(OUTCOMES, 1),
      lessons: at(LESSONS, 5),
      toolsUsed: ['search'],
    }
  })
}
