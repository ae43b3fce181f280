// The search: how-to pages first, then notebooks, then the reference, where every word is found somewhere.
var Scorer = {
  score: ([page, , , , score]) => score + (page.startsWith("guide/how-to/") ? 40 : page.startsWith("guide/") ? 20 : 0),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
