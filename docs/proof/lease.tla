------------------------------- MODULE lease -------------------------------
(***************************************************************************)
(* Lease, fence and ledger: what Monotick promises of ticks and leaders,   *)
(* as a model that TLC explores in full. model.md says what is modelled    *)
(* and what is not; scripts/model runs it.                                 *)
(*                                                                         *)
(* Replicas talk to one store. Any replica may stand still between any two *)
(* of its steps for any time (nothing here is urgent), and may crash.      *)
(* Requests to the store may be late, lost, or carried out twice; answers  *)
(* may be late or lost. Time is counted in units, and only as ages, so     *)
(* that neither time nor the number of renewals has a bound: bounded are   *)
(* replicas, terms (MaxFence) and ticks.                                   *)
(***************************************************************************)
EXTENDS Integers, TLC

CONSTANTS
  Replica,   \* who may lead
  Tick,      \* nominal times of one task
  MaxFence,  \* how many terms may begin
  D, M,      \* lease and margin, in units of time
  Drift,     \* whether a ticker may miss one unit in D
  Backend,   \* "row": the lease row alone; "lock": the session lock and the row
  Nobody,    \* no replica; also a process that has ended
  Buggy      \* the rules that are broken; {} is the product

Switches == {
  "VALIDITY_FROM_RESPONSE",  \* trust counts from when the answer came
  "NO_MARGIN",               \* trust lasts as long as the lease
  "LATE_RENEW_REVIVES",      \* an answer counts although the term is over
  "RENEW_WITHOUT_EPOCH",     \* the store renews whatever row is there
  "EXPIRES_AT_ONLY",         \* takeover as soon as the store's wall clock says so
  "FREE_LOCK_IS_PROOF",      \* takeover as soon as the session lock is free
  "MINT_WITHOUT_COMPARE",    \* takeover writes the fence it counted itself
  "RELEASE_BEFORE_QUIESCE",  \* the lease is let go while work still relies on it
  "NO_EPOCH_PREDICATE",      \* a claim does not test the fence
  "NO_LEDGER",               \* a claim does not test whether the tick is taken
  "ACT_ON_UNKNOWN_COMMIT",   \* no answer to a claim is taken for a yes
  "NO_RECHECK_AFTER_PAUSE",  \* the term is tested before the claim only
  "UNFENCED_SINK" }          \* the receiver of effects ignores the fence

ASSUME Buggy \subseteq Switches /\ 0 < M /\ M < D /\ Backend \in {"row", "lock"} /\ Drift \in BOOLEAN

Is(switch) == switch \in Buggy
Trust == IF Is("NO_MARGIN") THEN D ELSE D - M     \* LeaseTiming.trusted()
Fences == 1..MaxFence
Unseen == -1                                       \* of an age: there is nothing that has one
Older(age, most) == IF age \in {Unseen, most} THEN age ELSE age + 1
Less(number) == IF number = 0 THEN 0 ELSE number - 1

VARIABLES
  \* The store.
  row,       \* the lease: whose it is, which term, whether it was released
  fence,     \* the newest fence; minted in the same statement that takes the row
  lock,      \* who holds the session lock
  ledger,    \* per tick who claimed it in which term, Free if nobody
  claims,    \* claims that were sent: may be carried out at any time, any number of times
  releases,  \* releases that were sent, likewise
  \* Each replica.
  term,      \* the fence of the term it believes to hold, 0 if none
  left,      \* for how long it trusts that term
  renewal,   \* its newest renewal: of which term, how long ago sent, and the answer on its way
  watch,     \* how long the row has been the same while it watched
  take,      \* its takeover that may still be carried out, by the fence it would count
  attempt,   \* how long ago the takeover was sent that it waits for, and the answer on its way
  work,      \* what it does with a tick
  lag,       \* for how long its ticker misses no further unit
  \* What an observer sees who is part of none of them.
  sink,      \* the highest fence of an effect that was accepted
  started,   \* how many bodies began per tick; two stands for more
  wrong      \* invariants that a step has violated

storeVars == <<row, fence, lock, watch, take>>
ledgerVars == <<ledger, claims>>
termVars == <<term, left, renewal>>
seenVars == <<sink, started, wrong, lag>>
vars == <<row, fence, lock, ledger, claims, releases, term, left, renewal, watch, take,
          attempt, work, lag, sink, started, wrong>>

Free == <<Nobody, 0>>
NoRenewal == [epoch |-> 0, age |-> Unseen, done |-> FALSE]
NoAttempt == [age |-> Unseen, fence |-> 0]
Idle == [step |-> "idle", tick |-> Nobody, epoch |-> 0]
FreeRow == [by |-> Nobody, epoch |-> 0, released |-> TRUE]

Init ==
  /\ row = FreeRow /\ fence = 0 /\ lock = Nobody
  /\ ledger = [t \in Tick |-> Free] /\ claims = {} /\ releases = {}
  /\ term = [r \in Replica |-> 0] /\ left = [r \in Replica |-> 0]
  /\ renewal = [r \in Replica |-> NoRenewal]
  /\ watch = [r \in Replica |-> Unseen] /\ take = [r \in Replica |-> 0]
  /\ attempt = [r \in Replica |-> NoAttempt]
  /\ work = [r \in Replica |-> Idle] /\ lag = [r \in Replica |-> 0]
  /\ sink = 0 /\ started = [t \in Tick |-> 0] /\ wrong = {}

(* LeaderTerm.isValid(). Also true of a replica that stands still: what it would say if asked. *)
Trusts(r) == term[r] # 0 /\ left[r] > 0

Note(violated, invariant) == wrong' = IF violated THEN wrong \cup {invariant} ELSE wrong

(* Each write to the row raises its beat, or changes its epoch or mark. So it is never again what *)
(* anybody saw: whoever watches begins anew, and takeovers on their way will find another row.    *)
(* When they hear of that makes no difference: whoever hears late does nothing until then.        *)
RowChanges ==
  /\ watch' = [r \in Replica |-> Unseen]
  /\ IF Is("MINT_WITHOUT_COMPARE")
       THEN UNCHANGED <<take, attempt>>
       ELSE /\ take' = [r \in Replica |-> 0]
            /\ attempt' = [r \in Replica |-> IF take[r] # 0 THEN NoAttempt ELSE attempt[r]]

(* Answers to a term that is over are dropped; so the model forgets that they are on their way. *)
TermEnds(r) ==
  /\ term' = [term EXCEPT ![r] = 0]
  /\ left' = [left EXCEPT ![r] = 0]
  /\ renewal' = IF Is("LATE_RENEW_REVIVES") \/ Is("RENEW_WITHOUT_EPOCH")
                  THEN renewal ELSE [renewal EXCEPT ![r] = NoRenewal]

-----------------------------------------------------------------------------
(* Taking the lease: Elector.attempt, LeaseRowCandidacy and AdvisoryCandidacy.tryAcquire. *)

(* LeaseWatch.observed: counts from when the answer arrived. Here reading and arriving are one    *)
(* step, which is the earliest that the count can begin, so the worst.                            *)
Looks(r) ==
  /\ term[r] = 0 /\ watch[r] = Unseen
  /\ watch' = [watch EXCEPT ![r] = 0]
  /\ UNCHANGED <<row, fence, lock, take, attempt, work, releases, ledgerVars, termVars, seenVars>>

ObtainsLock(r) ==
  /\ Backend = "lock" /\ lock = Nobody /\ term[r] = 0
  /\ lock' = r
  /\ UNCHANGED <<row, fence, watch, take, attempt, work, releases, ledgerVars, termVars, seenVars>>

MayTake(r) ==
  \/ row.released                                 \* its holder let it go
  \/ row.by = r                                   \* a term of its own that it does not know of, or lost
  \/ watch[r] = D                                 \* LeaseWatch.hasRunOut: silent for a full lease
  \/ Backend = "lock" /\ row.by = Nobody          \* its holder's process has ended
  \/ Is("FREE_LOCK_IS_PROOF") /\ Backend = "lock"
  \/ Is("EXPIRES_AT_ONLY")                        \* that clock may be set to anything at any time

(* An older takeover of its own that is still on its way and names the same row becomes this one. *)
SendsTake(r) ==
  /\ term[r] = 0 /\ attempt[r] = NoAttempt /\ fence < MaxFence
  /\ watch[r] # Unseen /\ MayTake(r)
  /\ Backend = "lock" => lock = r
  /\ take' = [take EXCEPT ![r] = row.epoch + 1]
  /\ attempt' = [attempt EXCEPT ![r] = [age |-> 0, fence |-> 0]]
  /\ UNCHANGED <<row, fence, lock, watch, work, releases, ledgerVars, termVars, seenVars>>

(* LeaseSql.MINT: one statement compares the row, mints the fence and writes the row. Carried out *)
(* also if nobody waits for the answer any more, or if the one who asked is gone.                 *)
StoreMints(r) ==
  /\ take[r] # 0 /\ fence < MaxFence
  /\ Backend = "lock" => lock = r
  /\ LET minted == IF Is("MINT_WITHOUT_COMPARE") THEN take[r] ELSE fence + 1
     IN /\ row' = [by |-> r, epoch |-> minted, released |-> FALSE]
        /\ fence' = minted
        /\ Note(minted <= fence, "I1")
        /\ watch' = [s \in Replica |-> Unseen]
        /\ take' = [s \in Replica |->
                       IF s = r \/ ~Is("MINT_WITHOUT_COMPARE") THEN 0 ELSE take[s]]
        /\ attempt' = [s \in Replica |->
             CASE s = r /\ attempt[r].age # Unseen -> [attempt[r] EXCEPT !.fence = minted]
               [] s # r /\ take[s] # 0 /\ take'[s] = 0 -> NoAttempt
               [] OTHER -> attempt[s]]
  /\ UNCHANGED <<lock, work, releases, ledgerVars, termVars, sink, started, lag>>

(* Elector.attempted: a term that came too late to be used is none. *)
GainsTerm(r) ==
  /\ attempt[r].fence # 0
  /\ LET trusted == IF Is("VALIDITY_FROM_RESPONSE") THEN Trust ELSE Trust - attempt[r].age
     IN IF trusted > 0
          THEN /\ term' = [term EXCEPT ![r] = attempt[r].fence]
               /\ left' = [left EXCEPT ![r] = trusted]
               /\ watch' = [watch EXCEPT ![r] = Unseen]
          ELSE UNCHANGED <<term, left, watch>>
  /\ attempt' = [attempt EXCEPT ![r] = NoAttempt]
  /\ UNCHANGED <<row, fence, lock, take, renewal, work, releases, ledgerVars, seenVars>>

(* Refused, or no answer in time; the request may still be carried out. *)
GivesUpTake(r) ==
  /\ attempt[r].age # Unseen
  /\ attempt' = [attempt EXCEPT ![r] = NoAttempt]
  /\ UNCHANGED <<storeVars, work, releases, ledgerVars, termVars, seenVars>>

-----------------------------------------------------------------------------
(* Keeping it: Elector.renew and renewed, LocalLease. *)

SendsRenewal(r) ==
  /\ Trusts(r)
  /\ renewal' = [renewal EXCEPT ![r] = [epoch |-> term[r], age |-> 0, done |-> FALSE]]
  /\ UNCHANGED <<storeVars, term, left, attempt, work, releases, ledgerVars, seenVars>>

(* LeaseSql.RENEW: tests row and fence, and that the session still holds the lock. *)
IsCurrent(r, epoch) ==
  /\ row.epoch = epoch /\ ~row.released /\ fence = epoch
  /\ Backend = "lock" => lock = r

StoreRenews(r) ==
  /\ renewal[r].epoch # 0 /\ ~renewal[r].done
  /\ IsCurrent(r, renewal[r].epoch) \/ Is("RENEW_WITHOUT_EPOCH")
  /\ row' = [by |-> r, epoch |-> renewal[r].epoch, released |-> FALSE]
  /\ RowChanges
  /\ renewal' = [renewal EXCEPT ![r].done = TRUE]
  /\ UNCHANGED <<fence, lock, term, left, work, releases, ledgerVars, seenVars>>

(* Copies, and renewals whose answer is lost. Those of older terms change nothing, so only those  *)
(* of the current one are steps; whether one was really sent is not asked: the worse for us.      *)
StoreRenewsUnheard ==
  /\ row.epoch # 0 /\ ~row.released /\ fence = row.epoch
  /\ Backend = "lock" => lock # Nobody /\ lock = row.by
  /\ RowChanges
  /\ UNCHANGED <<row, fence, lock, work, releases, ledgerVars, termVars, seenVars>>

(* LocalLease.renewed counts from when it was sent, and only while the term is valid. *)
HearsOfRenewal(r) ==
  /\ renewal[r].done
  /\ LET counts == term[r] = renewal[r].epoch /\ Trusts(r)
         revives == Is("LATE_RENEW_REVIVES") /\ term[r] = 0
     IN IF counts \/ revives
          THEN /\ term' = [term EXCEPT ![r] = renewal[r].epoch]
               /\ left' = [left EXCEPT ![r] =
                    IF Is("VALIDITY_FROM_RESPONSE") THEN Trust ELSE Trust - renewal[r].age]
          ELSE UNCHANGED <<term, left>>
  /\ renewal' = [renewal EXCEPT ![r] = NoRenewal]
  /\ UNCHANGED <<storeVars, attempt, work, releases, ledgerVars, seenVars>>

(* A definite no ends the term at once. Once it is no it stays no, so it is refused when heard. *)
HearsRefusal(r) ==
  /\ renewal[r].epoch # 0 /\ ~renewal[r].done /\ term[r] = renewal[r].epoch
  /\ ~IsCurrent(r, renewal[r].epoch) /\ ~Is("RENEW_WITHOUT_EPOCH")
  /\ TermEnds(r)
  /\ UNCHANGED <<storeVars, attempt, work, releases, ledgerVars, seenVars>>

(* Elector.watch. Not urgent: a replica that stands still does it when it goes on. *)
Expires(r) ==
  /\ term[r] # 0 /\ left[r] = 0
  /\ TermEnds(r)
  /\ UNCHANGED <<storeVars, attempt, work, releases, ledgerVars, seenVars>>

-----------------------------------------------------------------------------
(* Letting it go: Resignation, Elector.release, LeaseSql.RELEASE. *)

(* The term is revoked first, and only when no work of it is left. *)
Resigns(r) ==
  /\ term[r] # 0 /\ term[r] \notin releases
  /\ IF Is("RELEASE_BEFORE_QUIESCE")
       THEN work[r] # Idle /\ UNCHANGED termVars
       ELSE work[r] = Idle /\ TermEnds(r)
  /\ releases' = releases \cup {term[r]}
  /\ UNCHANGED <<storeVars, attempt, work, ledgerVars, seenVars>>

StoreReleases(epoch) ==
  /\ epoch \in releases
  /\ row.epoch = epoch /\ ~row.released
  /\ row' = [row EXCEPT !.released = TRUE]
  /\ lock' = IF lock = row.by THEN Nobody ELSE lock
  /\ RowChanges
  /\ UNCHANGED <<fence, work, releases, ledgerVars, termVars, seenVars>>

-----------------------------------------------------------------------------
(* One tick: TaskLoop, LedgerClient, PostgresLedger.claim, TaskBodies, and an effect elsewhere. *)

SendsClaim(r, t) ==
  /\ Trusts(r) /\ work[r] = Idle /\ <<r, term[r], t>> \notin claims
  /\ work' = [work EXCEPT ![r] = [step |-> "claiming", tick |-> t, epoch |-> term[r]]]
  /\ claims' = claims \cup {<<r, term[r], t>>}
  /\ UNCHANGED <<storeVars, ledger, attempt, releases, termVars, seenVars>>

(* FenceTable.share, then the tick's key. A claim that comes again finds its own row. *)
Grants(r, epoch, t) ==
  /\ fence = epoch \/ Is("NO_EPOCH_PREDICATE")
  /\ ledger[t] \in {Free, <<r, epoch>>} \/ Is("NO_LEDGER")

(* The answer reaches the replica if it still waits, or is lost and the claim in doubt; sent      *)
(* again, it is answered again. A refusal is like giving up.                                      *)
StoreGrants(r, epoch, t) ==
  /\ <<r, epoch, t>> \in claims /\ Grants(r, epoch, t)
  /\ ledger' = [ledger EXCEPT ![t] = <<r, epoch>>]
  /\ Note(epoch < fence, "I4")
  /\ \/ ledger[t] # <<r, epoch>> /\ UNCHANGED work
     \/ /\ work[r] = [step |-> "claiming", tick |-> t, epoch |-> epoch]
        /\ work' = [work EXCEPT ![r].step = "granted"]
  /\ UNCHANGED <<storeVars, claims, attempt, releases, termVars, sink, started, lag>>

(* RunAuthority.mayStart is asked again after the answer. *)
StartsBody(r) ==
  LET valid == term[r] = work[r].epoch /\ Trusts(r)
      answered == work[r].step = "granted"
      t == work[r].tick
  IN /\ answered \/ (work[r].step = "claiming" /\ Is("ACT_ON_UNKNOWN_COMMIT"))
     /\ valid \/ Is("NO_RECHECK_AFTER_PAUSE")
     /\ work' = [work EXCEPT ![r].step = "running"]
     /\ started' = [started EXCEPT ![t] = IF @ = 2 THEN 2 ELSE @ + 1]
     /\ wrong' = wrong \cup (IF valid THEN {} ELSE {"I6"}) \cup (IF answered THEN {} ELSE {"I13"})
     /\ UNCHANGED <<storeVars, ledgerVars, attempt, releases, termVars, sink, lag>>

(* At any time after the start: the pause between check and act that no check can close. *)
SendsEffect(r) ==
  /\ work[r].step = "running"
  /\ LET accepted == work[r].epoch >= sink \/ Is("UNFENCED_SINK")
     IN /\ sink' = IF accepted /\ work[r].epoch > sink THEN work[r].epoch ELSE sink
        /\ Note(accepted /\ work[r].epoch < sink, "I4")
  /\ work' = [work EXCEPT ![r] = Idle]
  /\ UNCHANGED <<storeVars, ledgerVars, attempt, releases, termVars, started, lag>>

(* No answer, a refusal, a term that is over, or a body that was cancelled. *)
GivesUpTick(r) ==
  /\ work[r] # Idle
  /\ work' = [work EXCEPT ![r] = Idle]
  /\ UNCHANGED <<storeVars, ledgerVars, attempt, releases, termVars, seenVars>>

-----------------------------------------------------------------------------
(* The world. *)

(* A ticker that misses one unit in D is as slow as the margin pays for. *)
TimePasses ==
  \E slow \in SUBSET {r \in Replica : Drift /\ lag[r] = 0} :
    LET on == Replica \ slow
        Aged(record, r) == IF r \in on THEN [record EXCEPT !.age = Older(@, Trust)] ELSE record
    IN /\ left' = [r \in Replica |-> IF r \in on THEN Less(left[r]) ELSE left[r]]
       /\ watch' = [r \in Replica |-> IF r \in on THEN Older(watch[r], D) ELSE watch[r]]
       /\ renewal' = [r \in Replica |-> Aged(renewal[r], r)]
       /\ attempt' = [r \in Replica |-> Aged(attempt[r], r)]
       /\ lag' = [r \in Replica |-> IF r \in on THEN Less(lag[r]) ELSE D - 1]
       /\ UNCHANGED <<row, fence, lock, take, term, work, releases, ledgerVars, sink, started, wrong>>

(* Its connection was cut, the server restarted, or idle_session_timeout ended a silent session.  *)
LockIsFreed ==
  /\ lock # Nobody
  /\ lock' = Nobody
  /\ UNCHANGED <<row, fence, watch, take, attempt, work, releases, ledgerVars, termVars, seenVars>>

(* The process that is started in its place is another one, so the row is nobody's. A takeover of *)
(* the old one may still be carried out, and the new one then takes the row for its own; that is  *)
(* sooner than it would in the world, where nobody relies on that term either.                    *)
Crashes(r) ==
  /\ term[r] # 0 \/ attempt[r] # NoAttempt \/ work[r] # Idle \/ row.by = r
  /\ term' = [term EXCEPT ![r] = 0]
  /\ left' = [left EXCEPT ![r] = 0]
  /\ renewal' = [renewal EXCEPT ![r] = NoRenewal]
  /\ watch' = [watch EXCEPT ![r] = Unseen]
  /\ attempt' = [attempt EXCEPT ![r] = NoAttempt]
  /\ work' = [work EXCEPT ![r] = Idle]
  /\ row' = IF row.by = r THEN [row EXCEPT !.by = Nobody] ELSE row
  /\ lock' = IF lock = r THEN Nobody ELSE lock
  /\ UNCHANGED <<fence, take, releases, ledgerVars, seenVars>>

Next ==
  \/ \E r \in Replica :
       \/ Looks(r) \/ ObtainsLock(r) \/ SendsTake(r) \/ StoreMints(r) \/ GainsTerm(r) \/ GivesUpTake(r)
       \/ SendsRenewal(r) \/ StoreRenews(r) \/ HearsOfRenewal(r) \/ HearsRefusal(r) \/ Expires(r)
       \/ Resigns(r)
       \/ StartsBody(r) \/ SendsEffect(r) \/ GivesUpTick(r) \/ Crashes(r)
       \/ \E t \in Tick : SendsClaim(r, t) \/ \E epoch \in Fences : StoreGrants(r, epoch, t)
  \/ StoreRenewsUnheard
  \/ \E epoch \in Fences : StoreReleases(epoch)
  \/ TimePasses \/ LockIsFreed

Spec == Init /\ [][Next]_vars

(* Neither replicas nor ticks differ but by name. *)
Alike == Permutations(Replica) \cup Permutations(Tick)

-----------------------------------------------------------------------------
(* Fences are unique and grow in the order in which they are granted. *)
I1 == "I1" \notin wrong
(* At no instant do two replicas trust their terms. *)
I2 == \A r, s \in Replica : r # s => ~(Trusts(r) /\ Trusts(s))
(* At most one body begins per tick. *)
I3 == \A t \in Tick : started[t] <= 1
(* Neither ledger nor sink accepts a fence after a higher one. *)
I4 == "I4" \notin wrong
(* No body begins after the validity of its term. *)
I6 == "I6" \notin wrong
(* No body begins while its claim is in doubt. *)
I13 == "I13" \notin wrong

(* A model in which nothing happens violates nothing. These must be violated. *)
NeverTakenOver == fence < 2
NeverTooLate == \A r \in Replica : attempt[r].fence # 0 => attempt[r].age < Trust
NeverOrphanClaim == \A c \in claims : c[2] = fence \/ ledger[c[3]] = <<c[1], c[2]>>
NeverZombieAtSink == \A r \in Replica : work[r].step = "running" => work[r].epoch >= sink
=============================================================================
