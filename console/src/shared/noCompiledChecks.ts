import { z } from 'zod';

// Compiled checks are made from text, which the content security policy refuses. A schema asks when it is made, so whoever
// makes one imports this first: parts of the program are loaded in an order of the bundler's own.
z.config({ jitless: true });
