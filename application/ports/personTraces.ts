/**
 * Something that makes a person findable without holding anything about them in the clear, such as fingerprints to look
 * a registration number up by. Once the person's key is destroyed these are the last traces.
 */
export interface PersonTraces {
  /** Removes them. Repeating it changes nothing. */
  forget(civilId: string): Promise<void>;
}
