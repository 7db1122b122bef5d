import { z } from 'zod';

// Compiled checks are made from text, which the content security policy refuses. Said before any schema is made:
// modules are evaluated in the order bundling leaves them in, so every one of the console takes `z` from here.
z.config({ jitless: true });

export { z };
