package dev.monotick.chaos.sink;

/** What the sink made of an effect. */
public enum EffectVerdict {
  /** It took place. */
  ACCEPTED,
  /** Its fence was older than one accepted before: it did not take place. */
  STALE,
  /** It had taken place before under the same key: nothing happened. */
  REPEATED
}
