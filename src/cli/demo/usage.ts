export const USAGE = `Usage: lectern demo [--once]

Starts a service with a data folder of its own that is removed at the end, puts three documents in, finds passages,
asks questions and changes a document. It then stays up for you to try, until Ctrl-C.

  --once                ends after the tour`;
