import { z } from 'zod';

// Zod's compiled checks need `eval`, which the content security policy refuses. Configured before
// any schema is made: modules are evaluated in the order of the bundle, so the whole console
// imports `z` from here.
z.config({ jitless: true });

export { z };
