import { writeMissingFixtures } from './eventFixtures.ts';

// Run as `node dist/test/support/events/writeMissingFixtures.js` after adding an event type or a version, then commit the files.
console.log((await writeMissingFixtures()).join('\n'));
