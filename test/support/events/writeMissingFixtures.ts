import { writeMissingFixtures } from './eventFixtures.ts';
import { writeFoldRecords } from './foldRecords.ts';

// Run as `node dist/test/support/events/writeMissingFixtures.js` after adding an event type or a version, or raising the
// version of a read model, then commit the files.
console.log((await writeMissingFixtures()).join('\n'));
await writeFoldRecords();
