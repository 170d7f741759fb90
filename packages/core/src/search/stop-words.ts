/**
 * Words that say nothing about what a memory is about. They are left out of what is indexed and of queries: a query asks
 * with many of them, and their postings would be most of an index. English; other languages lose nothing without a list.
 */
export const stopWords: ReadonlySet<string> = new Set(
  `a about above after again against all also am an and any are arent as at be because been before being below between
  both but by can cant cannot could couldnt did didnt do does doesnt doing dont down during each few for from further had
  hadnt has hasnt have havent having he her here hers herself hes him himself his how i id if ill im in into is isnt it
  its itself ive just lets me more most my myself no nor not now of off on once only or other our ours ourselves out over
  own same she shes should shouldnt so some such than that thats the their theirs them themselves then there theres these
  they theyre theyve this those through to too under until up very was wasnt we well were werent weve what whats when
  where which while who whom whose why will with wont would wouldnt you youd youll your youre yours yourself yourselves
  youve`.split(/\s+/),
)
