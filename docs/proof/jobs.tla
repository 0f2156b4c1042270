-------------------------------- MODULE jobs --------------------------------
(***************************************************************************)
(* Jobs: claim, start record, completion, rescue, rejoin and hand-off, as  *)
(* a model that TLC explores in full. model.md says what is modelled and   *)
(* what is not; scripts/model runs it. JobSteps.java says the same in Java *)
(* and must reach the same number of states.                               *)
(*                                                                         *)
(* Replicas talk to one store. A replica may stand still between any two   *)
(* of its steps for any time, lose its membership, or crash. Requests may  *)
(* be late, lost, or carried out several times; answers may be late or     *)
(* lost. Every step brings something forward and none is ever undone, so   *)
(* all ways through the model end. Bounded are replicas, memberships and   *)
(* jobs; the numbers of claims and runs follow from these.                 *)
(***************************************************************************)
EXTENDS Integers, FiniteSets

CONSTANTS
  Replicas,  \* how many processes
  Members,   \* how many memberships, the first of each replica included
  Jobs,      \* how many jobs
  Effect,    \* "AT_LEAST_ONCE" or "AT_MOST_ONCE"
  HandOff,   \* whether replicas offer to be handed jobs
  Buggy      \* the rules that are broken; {} is the product

Switches == {
  "REJOIN_KEEPS_IDENTITY",      \* a replica that comes back is the member that it was, and counts from 1
  "ANSWER_TO_ANY_MEMBERSHIP",   \* a claim of an earlier membership may begin in a later one
  "NOTICE_STARTS_HANDLER",      \* a notification is taken for the claim; the claim is not read
  "READ_ONLY_ON_NOTICE",        \* a claim is read only when its notification arrives
  "NUMBER_REUSED",              \* the number of a claim is used for the next one too
  "BEGIN_WITHOUT_LEASE",        \* a handler begins without a look at the lease
  "GONE_WHILE_TRUSTED",         \* a member may be declared gone before its own lease has ended
  "RESCUE_WITHOUT_GONE",        \* claims of living members are rescued
  "RESCUE_ONCE",                \* claims that arrive after the rescue of their member are not found
  "RESCUE_LEAVES_NO_END",       \* a rescued run has no recorded end
  "ORPHANS_KEPT",               \* a member does not give back claims of its own that it never heard of
  "COMPLETE_WITHOUT_CLAIM",     \* a report counts without a claim, if its run has no recorded end
  "COMPLETE_BY_NUMBER_ALONE",   \* a report counts if there is a claim of that number, of whatever jobs
  "COMPLETE_TWICE",             \* a report counts though its run has a recorded end
  "PURGE_UNDER_CLAIM",          \* a job is purged though a claim still names it
  "NO_START_RECORD",            \* a handler at most once begins without a start record
  "BEGIN_BEFORE_START_ANSWER",  \* no answer to a start record is taken for a yes
  "START_WITHOUT_CLAIM_LOCK",   \* a start is recorded although its claim is gone by then
  "UNKNOWN_WITHOUT_START" }     \* rescue takes each run at most once for one that may have begun

Member == 1..Members
Replica == 1..Replicas
Job == 1..Jobs
MaxRun == 2 + Members - Replicas  \* one that fails or is claimed too late, one per lost membership, one that ends
Run == 1..MaxRun
FirstOffer == 9                    \* claims and offers share their numbers; here each has a range of them

ASSUME Buggy \subseteq Switches /\ Replicas <= Members /\ HandOff \in BOOLEAN
ASSUME Effect \in {"AT_LEAST_ONCE", "AT_MOST_ONCE"}

Is(switch) == switch \in Buggy
AtMostOnce == Effect = "AT_MOST_ONCE"

VARIABLES
  \* The store.
  job,      \* per job its state, and its latest run
  ended,    \* runs with a recorded end: rows of job_attempt
  claim,    \* per run the claim that names it, <<member, number>>
  start,    \* per job the run and member of its start record
  gone,     \* members that are declared gone
  offers,   \* open offers, <<member, number>>
  reports,  \* completions that were sent: may be carried out at any time, any number of times
  starts,   \* start records that were asked for, likewise
  notices,  \* notifications on their way; kept only where a switch makes them matter
  rescued,  \* members that are not looked at again, for RESCUE_ONCE
  \* Each replica.
  owner,    \* per membership its replica, 0 if it has not begun
  mem,      \* its latest membership
  trusted,  \* whether its lease is valid by its own clock
  next,     \* per membership the number of its next claim, which it asks for again and again
  nextOffer,  \* per membership the number of its next offer
  offered,  \* the number of its open offer, 0 if none
  work,     \* what happens to a run: step, membership and number under which it was claimed
  \* What an observer sees who is part of none of them.
  successes, begun,  \* per job how many runs were recorded as successes, and how many handlers began; two stands for more
  wrong              \* properties that a step has violated

messages == <<reports, starts, notices>>
replicas == <<owner, mem, trusted, next, nextOffer, offered>>
store == <<job, ended, claim, start>>
seen == <<successes, begun, wrong>>
vars == <<store, gone, offers, messages, rescued, replicas, work, seen>>

None == <<0, 0>>
Nothing == [step |-> "none", m |-> 0, n |-> 0]
Over == [step |-> "done", m |-> 0, n |-> 0]

Init ==
  /\ job = [j \in Job |-> [state |-> "new", run |-> 1]]
  /\ ended = {} /\ claim = [x \in Job \X Run |-> None] /\ start = [j \in Job |-> None]
  /\ gone = {} /\ offers = {} /\ reports = {} /\ starts = {} /\ notices = {} /\ rescued = {}
  /\ owner = [m \in Member |-> IF m \in Replica THEN m ELSE 0] /\ mem = [r \in Replica |-> r]
  /\ trusted = [r \in Replica |-> TRUE] /\ offered = [r \in Replica |-> 0]
  /\ next = [m \in Member |-> 1] /\ nextOffer = [m \in Member |-> FirstOffer]
  /\ work = [x \in Job \X Run |-> Nothing]
  /\ successes = [j \in Job |-> 0] /\ begun = [j \in Job |-> 0] /\ wrong = {}

(* What a membership is called in the store: minted when it begins, and never used again. *)
Id(m) == IF Is("REJOIN_KEEPS_IDENTITY") THEN owner[m] ELSE m
Key(r, n) == <<Id(mem[r]), n>>
Named(key) == {x \in Job \X Run : claim[x] = key}
Open(key) == Named(key) \ ended
Rows == {claim[x] : x \in Job \X Run} \ {None}
Final(j) == job[j].state \notin {"new", "ready", "running"}
Purged(j) == job[j].state \in {"fading", "purged"}
More(count) == IF count = 2 THEN 2 ELSE count + 1

(* A claim is deleted when all its runs have ended. *)
Swept(ends) == [x \in Job \X Run |-> IF \A y \in Named(claim[x]) : y \in ends THEN None ELSE claim[x]]

(* What it means that a run is brought back or ended, though its job is over. *)
Late(j) == CASE Purged(j) -> {"S4"}
             [] Final(j) /\ ~Purged(j) -> {"S3"}
             [] OTHER -> {}

-----------------------------------------------------------------------------
(* Enqueue, hand-off and claim. *)

Enqueues(j) ==
  /\ job[j].state = "new"
  /\ job' = [job EXCEPT ![j].state = "ready"]
  /\ UNCHANGED <<ended, claim, start, gone, offers, messages, rescued, replicas, work, seen>>

(* An open offer has a number of its own. It may outlive its membership. *)
Offers(r) ==
  /\ HandOff /\ trusted[r] /\ offered[r] = 0
  /\ offered' = [offered EXCEPT ![r] = nextOffer[mem[r]]]
  /\ nextOffer' = [nextOffer EXCEPT ![mem[r]] = @ + 1]
  /\ offers' = offers \cup {Key(r, nextOffer[mem[r]])}
  /\ UNCHANGED <<store, gone, messages, rescued, owner, mem, trusted, next, work, seen>>

(* One transaction: the job, its claim, the offer's end, the notification. It does not ask whether *)
(* the member is gone, because that may change at any moment.                                      *)
HandsOff(j, key) ==
  /\ job[j].state = "new" /\ key \in offers
  /\ job' = [job EXCEPT ![j].state = "running"]
  /\ claim' = [claim EXCEPT ![<<j, 1>>] = key]
  /\ offers' = offers \ {key}
  /\ notices' = IF Is("NOTICE_STARTS_HANDLER") \/ Is("READ_ONLY_ON_NOTICE")
                  THEN notices \cup {<<key, j>>} ELSE notices
  /\ UNCHANGED <<ended, start, gone, reports, starts, rescued, replicas, work, seen>>

(* A request is awaited, or is a late one of whatever membership. Late ones take jobs in their     *)
(* first run only: the adversary has to end somewhere. A number that has a row claims nothing new. *)
StoreClaims(m, n, taken) ==
  /\ owner[m] # 0 /\ n <= next[m] /\ taken # {}
  /\ LET r == owner[m]
         key == <<Id(m), n>>
         awaited == trusted[r] /\ mem[r] = m /\ n = next[m]
     IN /\ \A j \in taken : job[j].state = "ready" /\ job[j].run <= (IF awaited THEN MaxRun ELSE 1)
        /\ Named(key) = {}
        /\ claim' = [x \in Job \X Run |-> IF x[1] \in taken /\ x[2] = job[x[1]].run THEN key ELSE claim[x]]
  /\ job' = [j \in Job |-> IF j \in taken THEN [job[j] EXCEPT !.state = "running"] ELSE job[j]]
  /\ UNCHANGED <<ended, start, gone, offers, messages, rescued, replicas, work, seen>>

(* What the replica then holds. An answer that is late is one that it holds for long before it     *)
(* checks; one that is lost is asked for again under the same number, and is the same.             *)
Granted(key, m) ==
  work' = [x \in Job \X Run |-> IF x \in Open(key) /\ work[x].step \in {"none", "done"}
                                  THEN [step |-> "granted", m |-> m, n |-> key[2]] ELSE work[x]]

HearsOfClaim(r) ==
  LET m == mem[r]
      key == Key(r, next[m])
  IN /\ trusted[r]
     /\ \E x \in Open(key) : work[x].step \in {"none", "done"}
     /\ Granted(key, m)
     /\ next' = IF Is("NUMBER_REUSED") THEN next ELSE [next EXCEPT ![m] = @ + 1]
     /\ UNCHANGED <<store, gone, offers, messages, rescued, owner, mem, trusted, nextOffer, offered, seen>>

(* A notification or a poll made the replica look; since a look does no harm, it may look always.  *)
ReadsClaim(r) ==
  LET key == Key(r, offered[r])
  IN /\ trusted[r] /\ offered[r] # 0
     /\ \E x \in Open(key) : work[x].step \in {"none", "done"}
     /\ Is("READ_ONLY_ON_NOTICE") => \E j \in Job : <<key, j>> \in notices
     /\ Granted(key, mem[r])
     /\ offered' = [offered EXCEPT ![r] = 0]
     /\ UNCHANGED <<store, gone, offers, messages, rescued, owner, mem, trusted, next, nextOffer, seen>>

(* The wrong way: number and lease are looked at, the claim is not. *)
NoticeStarts(r, j) ==
  /\ Is("NOTICE_STARTS_HANDLER") /\ trusted[r] /\ offered[r] # 0
  /\ \E m \in Member : owner[m] = r /\ <<<<Id(m), offered[r]>>, j>> \in notices
  /\ work[<<j, 1>>].step \in {"none", "done"}
  /\ work' = [work EXCEPT ![<<j, 1>>] = [step |-> "granted", m |-> mem[r], n |-> offered[r]]]
  /\ offered' = [offered EXCEPT ![r] = 0]
  /\ UNCHANGED <<store, gone, offers, messages, rescued, owner, mem, trusted, next, nextOffer, seen>>

NoticeIsLost(notice) ==
  /\ Is("READ_ONLY_ON_NOTICE") /\ notice \in notices
  /\ notices' = notices \ {notice}
  /\ UNCHANGED <<store, gone, offers, reports, starts, rescued, replicas, work, seen>>

-----------------------------------------------------------------------------
(* One run. *)

AsksForStart(x) ==
  /\ AtMostOnce /\ work[x].step = "granted"
  /\ work' = [work EXCEPT ![x].step = "asked"]
  /\ starts' = starts \cup {<<<<Id(work[x].m), work[x].n>>, x>>}
  /\ UNCHANGED <<store, gone, offers, reports, notices, rescued, replicas, seen>>

(* The claim is locked meanwhile, so no rescue comes between the look at it and the record. A job  *)
(* has one record; that of a later run stays. The answer may be lost.                              *)
StoreStarts(key, x) ==
  /\ <<key, x>> \in starts
  /\ (claim[x] = key /\ x \notin ended) \/ Is("START_WITHOUT_CLAIM_LOCK")
  /\ start' = [start EXCEPT ![x[1]] = IF @[1] <= x[2] THEN <<x[2], key[1]>> ELSE @]
  /\ \/ start' # start /\ UNCHANGED work
     \/ /\ work[x].step = "asked" /\ <<Id(work[x].m), work[x].n>> = key
        /\ work' = [work EXCEPT ![x].step = "may"]
  /\ UNCHANGED <<job, ended, claim, gone, offers, messages, rescued, replicas, seen>>

MayCheck(step) ==
  \/ step = "may"
  \/ step = "granted" /\ (~AtMostOnce \/ Is("NO_START_RECORD"))
  \/ step = "asked" /\ Is("BEGIN_BEFORE_START_ANSWER")

(* The last look before the handler begins, at this replica's own lease. *)
Checks(x) ==
  /\ MayCheck(work[x].step)
  /\ LET r == owner[work[x].m]
     IN /\ trusted[r] \/ Is("BEGIN_WITHOUT_LEASE")
        /\ Id(work[x].m) = Id(mem[r]) \/ Is("ANSWER_TO_ANY_MEMBERSHIP")
  /\ work' = [work EXCEPT ![x].step = "checked"]
  /\ UNCHANGED <<store, gone, offers, messages, rescued, replicas, seen>>

(* "frozen": the lease ended between the look and the beginning. No look can close that gap. *)
Begins(x) ==
  LET j == x[1]
      over == Final(j) \/ job[j].run > x[2]
  IN /\ work[x].step \in {"checked", "frozen"}
     /\ wrong' = wrong \cup (IF over /\ work[x].step = "checked" THEN {"S2"} ELSE {})
     /\ begun' = IF AtMostOnce THEN [begun EXCEPT ![j] = More(@)] ELSE begun
     /\ work' = [work EXCEPT ![x].step = "running"]
     /\ UNCHANGED <<store, gone, offers, messages, rescued, replicas, successes>>

(* Only a first run fails: the adversary has to end somewhere. The report is sent until answered. *)
Finishes(x, outcome) ==
  /\ work[x].step = "running"
  /\ outcome = "failed" => x[2] = 1
  /\ reports' = reports \cup {<<<<Id(work[x].m), work[x].n>>, x, outcome>>}
  /\ work' = [work EXCEPT ![x] = Over]
  /\ UNCHANGED <<store, gone, offers, starts, notices, rescued, replicas, seen>>

Counts(key, x) ==
  /\ x \notin ended \/ Is("COMPLETE_TWICE")
  /\ \/ claim[x] = key
     \/ Is("COMPLETE_BY_NUMBER_ALONE") /\ Named(key) # {}
     \/ Is("COMPLETE_WITHOUT_CLAIM")

StoreCompletes(key, x, outcome) ==
  LET j == x[1]
      ends == ended \cup {x}
  IN /\ <<key, x, outcome>> \in reports /\ Counts(key, x)
     /\ job' = [job EXCEPT ![j] =
          CASE outcome = "ok" -> [state |-> "succeeded", run |-> x[2]]
            [] outcome = "failed" /\ AtMostOnce -> [state |-> "dead", run |-> x[2]]
            [] OTHER -> [state |-> "ready", run |-> x[2] + 1]]
     /\ ended' = ends
     /\ claim' = Swept(ends)
     /\ start' = [start EXCEPT ![j] = IF @[1] <= x[2] THEN None ELSE @]
     /\ successes' = IF outcome = "ok" /\ ~Purged(j) THEN [successes EXCEPT ![j] = More(@)] ELSE successes
     /\ wrong' = wrong \cup Late(j)
     /\ UNCHANGED <<gone, offers, messages, rescued, replicas, work, begun>>

-----------------------------------------------------------------------------
(* Rescue, and what becomes of jobs that are over. *)

(* The claim goes; of its runs, those that have not ended end now. *)
BringsBack(key) ==
  LET lost(j) == \E k \in Run : <<j, k>> \in Open(key)
      run(j) == CHOOSE k \in Run : <<j, k>> \in Open(key)
      mayHaveBegun(j) == start[j] = <<run(j), key[1]>> \/ Is("UNKNOWN_WITHOUT_START")
  IN /\ job' = [j \in Job |->
          CASE ~lost(j) -> job[j]
            [] lost(j) /\ AtMostOnce /\ mayHaveBegun(j) -> [state |-> "unknown", run |-> run(j)]
            [] OTHER -> [state |-> "ready", run |-> run(j) + 1]]
     /\ ended' = IF Is("RESCUE_LEAVES_NO_END") THEN ended ELSE ended \cup Named(key)
     /\ claim' = [x \in Job \X Run |-> IF claim[x] = key THEN None ELSE claim[x]]
     /\ start' = [j \in Job |-> IF lost(j) /\ start[j][1] <= run(j) THEN None ELSE start[j]]
     /\ wrong' = wrong \cup UNION {Late(j) : j \in {i \in Job : lost(i)}}
     /\ UNCHANGED <<gone, offers, messages, rescued, replicas, work, successes, begun>>

(* Also of claims that a gone member's late request, or an offer that outlived it, made after. *)
Rescues(key) ==
  /\ key \in Rows
  /\ key[1] \in gone \/ Is("RESCUE_WITHOUT_GONE")
  /\ key[1] \notin rescued
  /\ BringsBack(key)

LooksNoMore(id) ==
  /\ Is("RESCUE_ONCE") /\ id \in gone \ rescued /\ \A key \in Rows : key[1] # id
  /\ rescued' = rescued \cup {id}
  /\ UNCHANGED <<store, gone, offers, messages, replicas, work, seen>>

(* A late request made a claim under a number that its member is done with. *)
GivesBackOrphan(r, n) ==
  /\ trusted[r] /\ n < next[mem[r]] /\ ~Is("ORPHANS_KEPT")
  /\ Open(Key(r, n)) # {} /\ \A x \in Open(Key(r, n)) : work[x].step = "none"
  /\ BringsBack(Key(r, n))

(* Retention drops the ends of a day before its jobs; both at once are these two steps in a row. *)
DropsEnds(j) ==
  /\ job[j].state \in {"succeeded", "dead", "unknown"}
  /\ (\A k \in Run : claim[<<j, k>>] = None) \/ Is("PURGE_UNDER_CLAIM")
  /\ job' = [job EXCEPT ![j] = [state |-> "fading", run |-> 0]]
  /\ ended' = {x \in ended : x[1] # j}
  /\ UNCHANGED <<claim, start, gone, offers, messages, rescued, replicas, work, seen>>

DropsJob(j) ==
  /\ job[j].state = "fading"
  /\ job' = [job EXCEPT ![j].state = "purged"]
  /\ UNCHANGED <<ended, claim, start, gone, offers, messages, rescued, replicas, work, seen>>

-----------------------------------------------------------------------------
(* The world. A replica loses no membership if there is none left to come back with. *)

Minted == Cardinality({m \in Member : owner[m] # 0})
MayLose == Minted + Cardinality({r \in Replica : ~trusted[r]}) < Members
Theirs(r, x) == work[x].m # 0 /\ owner[work[x].m] = r

(* The lease ends by the replica's own clock: it stood still, or the store did not answer. *)
LosesLease(r) ==
  /\ trusted[r] /\ MayLose
  /\ trusted' = [trusted EXCEPT ![r] = FALSE]
  /\ work' = [x \in Job \X Run |-> IF Theirs(r, x) /\ work[x].step = "checked"
                                     THEN [work[x] EXCEPT !.step = "frozen"] ELSE work[x]]
  /\ UNCHANGED <<store, gone, offers, messages, rescued, owner, mem, next, nextOffer, offered, seen>>

(* What it sent may still arrive. *)
Crashes(r) ==
  /\ IF trusted[r] THEN MayLose ELSE \E x \in Job \X Run : Theirs(r, x)
  /\ trusted' = [trusted EXCEPT ![r] = FALSE]
  /\ work' = [x \in Job \X Run |-> IF Theirs(r, x) THEN Over ELSE work[x]]
  /\ UNCHANGED <<store, gone, offers, messages, rescued, owner, mem, next, nextOffer, offered, seen>>

(* By others, who counted the whole lease; the member itself trusts it for less than that. *)
IsDeclaredGone(r) ==
  /\ Id(mem[r]) \notin gone
  /\ ~trusted[r] \/ Is("GONE_WHILE_TRUSTED")
  /\ gone' = gone \cup {Id(mem[r])}
  /\ UNCHANGED <<store, offers, messages, rescued, replicas, work, seen>>

(* The same transaction declares its former membership gone. *)
Rejoins(r) ==
  /\ ~trusted[r] /\ Minted < Members
  /\ owner' = [owner EXCEPT ![Minted + 1] = r]
  /\ gone' = IF Is("REJOIN_KEEPS_IDENTITY") THEN gone \ {r} ELSE gone \cup {mem[r]}
  /\ mem' = [mem EXCEPT ![r] = Minted + 1]
  /\ trusted' = [trusted EXCEPT ![r] = TRUE]
  /\ offered' = [offered EXCEPT ![r] = 0]
  /\ UNCHANGED <<store, offers, messages, rescued, next, nextOffer, work, seen>>

Next ==
  \/ \E j \in Job : Enqueues(j) \/ DropsEnds(j) \/ DropsJob(j) \/ \E key \in offers : HandsOff(j, key)
  \/ \E m \in Member : \E n \in 1..next[m], taken \in SUBSET Job : StoreClaims(m, n, taken)
  \/ \E r \in Replica :
       \/ Offers(r) \/ HearsOfClaim(r) \/ ReadsClaim(r)
       \/ LosesLease(r) \/ Crashes(r) \/ IsDeclaredGone(r) \/ Rejoins(r)
       \/ \E j \in Job : NoticeStarts(r, j)
       \/ \E n \in 1..next[mem[r]] : GivesBackOrphan(r, n)
  \/ \E notice \in notices : NoticeIsLost(notice)
  \/ \E x \in Job \X Run : AsksForStart(x) \/ Checks(x) \/ Begins(x) \/ Finishes(x, "ok") \/ Finishes(x, "failed")
  \/ \E s \in starts : StoreStarts(s[1], s[2])
  \/ \E c \in reports : StoreCompletes(c[1], c[2], c[3])
  \/ \E key \in Rows : Rescues(key)
  \/ \E id \in gone : LooksNoMore(id)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* No two runs of a job are recorded as successes. *)
S1 == \A j \in Job : successes[j] <= 1
(* No handler begins after its run or its job has ended, unless its process was frozen just before. *)
S2 == "S2" \notin wrong
(* No report and no rescue takes a job out of the state in which it ended. *)
S3 == "S3" \notin wrong
(* Nothing brings back a job that was purged, or that retention has begun to drop. *)
S4 == "S4" \notin wrong
(* A handler at most once begins at most once. *)
A1 == \A j \in Job : begun[j] <= 1
(* A run becomes unknown only if its replica was about to begin it. *)
A2 == \A j \in Job : job[j].state = "unknown" => \E s \in starts : s[2] = <<j, job[j].run>>
(* All ways end (no step is ever undone), and where one ends each job has ended. *)
L == (\A j \in Job : Final(j)) \/ ENABLED Next

(* A model in which nothing happens violates nothing. These must be violated. *)
NeverBeginsAfterEnd == \A x \in Job \X Run : work[x].step # "frozen" \/ ~Final(x[1])
NeverClaimOfFormerMember == \A x \in Job \X Run : claim[x][1] = 0 \/ claim[x][1] \in {mem[r] : r \in Replica}
NeverOrphan == \A r \in Replica, n \in 1..FirstOffer : ~ENABLED GivesBackOrphan(r, n)
NeverUnknown == \A j \in Job : job[j].state # "unknown"
NeverReportOfPurged == \A c \in reports : job[c[2][1]].state # "purged"
=============================================================================
